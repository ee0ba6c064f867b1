import { node, type WorkflowDefinition } from '../../n8n/workflow.cts';
import type { Editor } from '../editor.cts';
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
/** Each safeguard: how a person sets it, and what the workflow keeps of it. */
const SAFEGUARDS: Record<string, [set: (editor: Editor) => Promise<void>, kept: object]> = {
	'Allowed Hours': [
		async (editor) => {
			await editor.list('allowedHours').add();
			await editor.fill('from', '00:00');
			await editor.fill('until', '24:00');
		},
		{ allowedHours: { window: { from: '00:00', until: '24:00' } } },
	],
	'Do Not Contact': [(editor) => editor.fill('doNotContact', '4712'), { doNotContact: '4712' }],
	'Dry Run': [(editor) => editor.tick('dryRun'), { dryRun: true }],
	'Max Messages': [(editor) => editor.fill('maxMessages', '10'), { maxMessages: 10 }],
	'On Uncertain Delivery': [
		(editor) => editor.choose('onUncertainDelivery', 'A retry sends the message again'),
		{ onUncertainDelivery: 'resend' },
	],
	'Repeated Recipients': [
		(editor) => editor.choose('repeatedRecipients', 'Send First'),
		{ repeatedRecipients: 'sendFirst' },
	],
	'Send Once Key': [(editor) => editor.fill('sendOnceKey', 'A-1042'), { sendOnceKey: 'A-1042' }],
	'Stop After Failures': [
		(editor) => editor.fill('stopAfterFailures', '5'),
		{ stopAfterFailures: 5 },
	],
	'Test Recipient': [(editor) => editor.fill('testRecipient', '4799'), { testRecipient: '4799' }],
};

export function options(stage: Stage) {
	stage.test('a safeguard is added; while it keeps messages back, hints say so', async (editor) => {
		await stage.openPanel(editor, { parameters: TEXT });
		await editor.field('text').waitFor();
		expect(await editor.hints.count()).toBe(0);
		await editor.add('safeguards', 'Dry Run');
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
		expect(stage.requests()).toEqual([]);
		await editor.closeNode();
		await eventually(async () =>
			expect(await editor.captionOf(NODE)).toContain('Send text (dry run)'),
		);

		await editor.openNode(NODE);
		await editor.tick('dryRun');
		await eventually(async () => expect(await editor.hints.count()).toBe(0));
		await editor.add('safeguards', 'Test Recipient');
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

	stage.test('each safeguard is added and set, and the node follows it', async (editor) => {
		const id = await stage.save({ parameters: TEXT });
		await editor.openWorkflow(id);
		await editor.openNode(NODE);
		await editor.field('text').waitFor();
		expect(await editor.offered('safeguards')).toEqual(Object.keys(SAFEGUARDS));
		for (const [label, [set]] of Object.entries(SAFEGUARDS)) {
			await editor.add('safeguards', label);
			await eventually(async () => expect(await editor.labels()).toContain(label));
			await set(editor);
		}
		await editor.executeStep();
		await eventually(async () =>
			expect(await editor.outputItems()).toMatchObject([
				{ dryRun: true, request: { body: { customer_id: '4799' } } },
			]),
		);
		const [{ id: executionId }] = await stage.client.executions(id);
		const { workflowData } = (await stage.client.execution(executionId)).stored;
		const kept = (workflowData as WorkflowDefinition).nodes.find(({ name }) => name === NODE)!;
		expect(kept.parameters).toMatchObject({
			safeguards: Object.assign({}, ...Object.values(SAFEGUARDS).map(([, each]) => each)),
		});
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
			await editor.add('options', 'Default Country');
			await editor.field('defaultCountry').click();
			await editor.page.keyboard.type('germ');
			await editor.pick('Germany (+49)');
			expect(await editor.chosen('defaultCountry')).toBe('Germany (+49)');
			await editor.executeStep();
			await eventually(() => expect(stage.recipients()).toEqual(['+4915123456789']));

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
			expect(stage.requests()).toEqual([]);
		},
	);
}
