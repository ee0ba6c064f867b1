import { node } from '../../n8n/workflow.cts';
import { eventually, NODE, type Stage } from '../help.cts';

const TEXT = { operation: 'sendText', customerId: '4711', text: 'Hello Ada' };
const TEMPLATE = {
	operation: 'sendTemplate',
	templateId: 'order_confirmation',
	channelId: '5001',
	customerPhone: '0151 23456789',
};
const SENDING = [
	'Max Concurrency',
	'Messages per Second',
	'Rate Limit Wait (Seconds)',
	'Timeout (Milliseconds)',
];
const SAFEGUARDS = [
	'Allowed Hours',
	'Do Not Contact',
	'Dry Run',
	'Max Messages',
	'On Uncertain Delivery',
	'Repeated Recipients',
	'Send Once Key',
	'Stop After Failures',
	'Test Recipient',
];

export function options(stage: Stage) {
	stage.test('a safeguard is added; while it keeps messages back, hints say so', async (editor) => {
		await stage.openPanel(editor, { parameters: TEXT });
		await editor.field('text').waitFor();
		expect(await editor.hints.count()).toBe(0);
		expect(await editor.offered('safeguards')).toEqual(SAFEGUARDS);
		await editor.addSafeguard('Dry Run');
		await eventually(async () =>
			expect((await editor.labels()).slice(-3)).toEqual(['Options', 'Safeguards', 'Dry Run']),
		);
		await editor.tick('dryRun');
		await eventually(async () =>
			expect(await editor.hints.allInnerTexts()).toEqual([expect.stringContaining('is on')]),
		);
		await editor.executeStep();
		await eventually(async () =>
			expect(await editor.outputItems()).toEqual([
				{
					dryRun: true,
					request: {
						method: 'POST',
						url: `${stage.sandbox.url}/stable/open/customers/send-text-message`,
						body: { customer_id: '4711', text: 'Hello Ada' },
					},
				},
			]),
		);
		expect(stage.sandbox.ledger.entries()).toEqual([]);
		await editor.closeNode();
		await eventually(async () =>
			expect(await editor.captionOf(NODE)).toContain('Send text (dry run)'),
		);

		await editor.openNode(NODE);
		await editor.tick('dryRun');
		await eventually(async () => expect(await editor.hints.count()).toBe(0));
		await editor.addSafeguard('Test Recipient');
		await editor.fill('testRecipient', '99');
		await eventually(async () =>
			expect(await editor.hints.allInnerTexts()).toEqual([
				expect.stringContaining("'Test Recipient' is set"),
			]),
		);
		await editor.closeNode();
		await eventually(async () =>
			expect(await editor.captionOf(NODE)).toContain('Send text (test run)'),
		);
	});

	stage.test(
		'a country is found by its name; text messages have no such option',
		async (editor) => {
			await stage.openPanel(editor, { parameters: TEMPLATE });
			await editor.field('templateId').waitFor();
			expect(await editor.offered('options')).toEqual([
				'Default Country',
				'Line Breaks in Attributes',
				...SENDING,
			]);
			await editor.addOption('Default Country');
			await editor.field('defaultCountry').click();
			await editor.page.keyboard.type('germ');
			await editor.pick('Germany (+49)');
			expect(await editor.chosen('defaultCountry')).toBe('Germany (+49)');
			await editor.executeStep();
			await eventually(() =>
				expect(stage.sandbox.ledger.accepted().map(({ recipient }) => recipient)).toEqual([
					'+4915123456789',
				]),
			);

			await editor.choose('operation', 'Send Text Message');
			await editor.field('text').waitFor();
			expect(await editor.labels()).not.toContain('Default Country');
			expect(await editor.offered('options')).toEqual(SENDING);
		},
	);

	stage.test(
		'the next node offers the fields of the record before anything was sent',
		async (editor) => {
			const after = [node('Next', 'n8n-nodes-base.noOp', 1)];
			await editor.openWorkflow(await stage.save({ parameters: TEXT, after }));
			await editor.openNode('Next');
			const fields = editor.part('run-data-schema-item', editor.part('ndv-input-panel'));
			await eventually(async () =>
				expect((await fields.allInnerTexts()).join(' ')).toMatch(
					/project_id.*customer_id.*success/s,
				),
			);
			expect(stage.sandbox.ledger.entries()).toEqual([]);
		},
	);
}
