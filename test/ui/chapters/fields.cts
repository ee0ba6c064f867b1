import type { Editor } from '../editor.cts';
import { eventually, NODE, type Stage } from '../help.cts';

const DESCRIPTION =
	'Send WhatsApp template messages, text messages and attachments to real customers';
const ACTIONS = ['Send WhatsApp template message', 'Send attachment', 'Send text message'];

const TEMPLATE = ['Template ID', 'Channel ID', 'Customer Phone', 'Specify Attributes'];
const WITH_FIELDS = [...TEMPLATE, 'Attributes', 'Header Media'];
const ATTACHMENT = ['Customer ID', 'Attachment Type', 'Attachment URL'];

const REQUIRED = {
	templateId: 'Template ID',
	channelId: 'Channel ID',
	customerPhone: 'Customer Phone',
};

const ORDER = { phone: '1 (555) 010-0200', name: 'Ada' };

export function fields(stage: Stage) {
	const openCreator = async (editor: Editor) => {
		await editor.openWorkflow(await stage.save({}));
		await editor.openCreator();
	};

	/** The labels, with those above and below the fields of every operation. */
	const expectLabels = async (editor: Editor, labels: string[]) => {
		const all = ['Credential', 'Operation', ...labels, 'Options', 'Safeguards'];
		await eventually(async () => expect(await editor.labels()).toEqual(all));
	};

	stage.test('the node is found by "message", "whatsapp" and "outbound"', async (editor) => {
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
		await eventually(async () => expect((await editor.entries()).sort()).toEqual(ACTIONS));
		await editor.part('node-creator').getByText('Actions (3)').waitFor();

		await editor.entry('Send attachment').click();
		await editor.part('ndv').waitFor();
		await eventually(async () => expect(await editor.chosen('operation')).toBe('Send Attachment'));
		await expectLabels(editor, ATTACHMENT);
		await editor.closeNode();
		const caption = [NODE, 'Send attachment'];
		await eventually(async () => expect(await editor.captionOf(NODE)).toEqual(caption));
		const icon = await editor.node(NODE).locator('img').getAttribute('src');
		expect(icon).toMatch(/outboundMessaging\.svg$/);
	});

	stage.test('come and go with the operation and the way of giving attributes', async (editor) => {
		await stage.openPanel(editor, { parameters: {} });
		await expectLabels(editor, WITH_FIELDS);
		await editor.choose('operation', 'Send Text Message');
		await expectLabels(editor, ['Customer ID', 'Text']);
		await editor.choose('operation', 'Send Attachment');
		await expectLabels(editor, ATTACHMENT);
		await editor.choose('operation', 'Send WhatsApp Template Message');
		await expectLabels(editor, WITH_FIELDS);
		await editor.choose('specifyAttributes', 'Using JSON');
		await expectLabels(editor, [...TEMPLATE, 'Attributes (JSON)', 'Header Media']);
	});

	stage.test(
		'that must be filled in are marked, in the panel and on the canvas',
		async (editor) => {
			await openCreator(editor);
			await editor.searchNodes('outbound');
			await editor.entry(NODE).click();
			await editor.entry('Send WhatsApp template message').click();
			await editor.part('ndv').waitFor();
			const marked = (name: string) => editor.part('parameter-issues', editor.item(name));
			// A fresh form does not scold; a field that was left empty does.
			for (const name of Object.keys(REQUIRED)) expect(await marked(name).count()).toBe(0);
			for (const name of Object.keys(REQUIRED)) {
				await editor.input(name).focus();
				await editor.input(name).blur();
				await marked(name).waitFor();
			}
			await editor.fill('templateId', 'order_confirmation');
			await marked('templateId').waitFor({ state: 'hidden' });
			await marked('channelId').waitFor();

			await editor.closeNode();
			const issues = await editor.issuesOf(NODE);
			expect(issues).not.toContain('Template ID');
			expect(issues).toContain('Parameter "Channel ID" is required');
			expect(issues).toContain('Parameter "Customer Phone" is required');
		},
	);

	stage.test(
		"take expressions and show what comes out of them; the output is the service's record",
		async (editor) => {
			await stage.openPanel(editor, {
				list: [ORDER],
				parameters: { templateId: 'order_confirmation', channelId: '5001', customerPhone: '' },
			});
			await editor.express('customerPhone', '+{{ $json.phone }}');
			await editor.item('customerPhone').getByText('+1 (555) 010-0200', { exact: true }).waitFor();
			await editor.executeStep();
			await editor.part('ndv-items-count', editor.output).waitFor();
			const [record, ...others] = await editor.outputItems();
			expect(others).toEqual([]);
			expect(record).toMatchObject({
				id: expect.stringMatching(/^[0-9a-f-]{36}$/),
				...{ function_name: 'send_template_message', message: 'Template message queued' },
				extra: { customer_phone: '+15550100200', template_id: 'order_confirmation', success: true },
			});
			expect(stage.recipients()).toEqual(['+15550100200']);
		},
	);
}
