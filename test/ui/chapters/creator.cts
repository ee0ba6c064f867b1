import { eventually, NODE, type Stage } from '../help.cts';
import type { Editor } from '../editor.cts';

const DESCRIPTION =
	'Send WhatsApp template messages, text messages and attachments to real customers';

const ACTIONS = [
	{
		action: 'Send WhatsApp template message',
		operation: 'Send WhatsApp Template Message',
		labels: [
			'Template ID',
			'Channel ID',
			'Customer Phone',
			'Specify Attributes',
			'Attributes',
			'Header Media',
		],
		subtitle: 'Send WhatsApp template',
	},
	{
		action: 'Send text message',
		operation: 'Send Text Message',
		labels: ['Customer ID', 'Text'],
		subtitle: 'Send text',
	},
	{
		action: 'Send attachment',
		operation: 'Send Attachment',
		labels: ['Customer ID', 'Attachment Type', 'Attachment URL'],
		subtitle: 'Send attachment',
	},
];

export function creator(stage: Stage) {
	const openCreator = async (editor: Editor) => {
		await editor.openWorkflow(await stage.save({}));
		await editor.openCreator();
	};

	stage.test(
		'is found by "message", "whatsapp" and "outbound", with three actions',
		async (editor: Editor) => {
			await openCreator(editor);
			for (const words of ['message', 'whatsapp', 'outbound']) {
				await editor.searchNodes('no such node');
				await editor.entry(NODE).waitFor({ state: 'hidden' });
				await editor.searchNodes(words);
				await editor.entry(NODE).waitFor();
				// Among the first: few people read further.
				await eventually(async () => expect((await editor.entries()).slice(0, 4)).toContain(NODE));
				await editor.part('node-creator').getByText(DESCRIPTION).waitFor();
			}
			await editor.entry(NODE).click();
			const expected = ACTIONS.map(({ action }) => action).sort();
			await eventually(async () => expect((await editor.entries()).sort()).toEqual(expected));
			await editor.part('node-creator').getByText('Actions (3)').waitFor();
		},
	);

	for (const { action, operation, labels, subtitle } of ACTIONS) {
		stage.test(`adds "${action}"`, async (editor: Editor) => {
			await openCreator(editor);
			await editor.searchNodes('outbound');
			await editor.entry(NODE).click();
			await editor.entry(action).click();
			await editor.part('ndv').waitFor();
			await eventually(async () => {
				expect(await editor.chosen('operation')).toBe(operation);
				const all = ['Credential', 'Operation', ...labels, 'Options', 'Safeguards'];
				expect(await editor.labels()).toEqual(all);
			});

			await editor.closeNode();
			await eventually(async () => expect(await editor.captionOf(NODE)).toEqual([NODE, subtitle]));
			expect(await editor.node(NODE).locator('img').getAttribute('src')).toMatch(
				/outboundMessaging\.svg$/,
			);
		});
	}

	stage.test(
		'has an icon of its own for the dark canvas',
		async (editor: Editor) => {
			await editor.openWorkflow(await stage.save({ parameters: {} }));
			const icon = editor.node(NODE).locator('img');
			await eventually(async () =>
				expect(await icon.getAttribute('src')).toMatch(/outboundMessaging\.dark\.svg$/),
			);
			await eventually(async () =>
				expect(
					await icon.evaluate((image) => (image as HTMLImageElement).naturalWidth),
				).toBeGreaterThan(0),
			);
		},
		{ dark: true },
	);
}
