import { eventually, NODE, type Stage } from '../help.cts';

const TEMPLATE = ['Template ID', 'Channel ID', 'Customer Phone', 'Specify Attributes'];

/** What is above and below the fields of every operation. */
const among = (...labels: string[]) => [
	'Credential',
	'Operation',
	...labels,
	'Options',
	'Safeguards',
];

export function fields(stage: Stage) {
	stage.test('come and go with the operation and the way of giving attributes', async (editor) => {
		await stage.openPanel(editor, { parameters: {} });
		const template = among(...TEMPLATE, 'Attributes', 'Header Media');
		await eventually(async () => expect(await editor.labels()).toEqual(template));

		await editor.choose('operation', 'Send Text Message');
		await eventually(async () =>
			expect(await editor.labels()).toEqual(among('Customer ID', 'Text')),
		);
		await editor.choose('operation', 'Send Attachment');
		await eventually(async () =>
			expect(await editor.labels()).toEqual(
				among('Customer ID', 'Attachment Type', 'Attachment URL'),
			),
		);
		await editor.choose('operation', 'Send WhatsApp Template Message');
		await eventually(async () => expect(await editor.labels()).toEqual(template));

		await editor.choose('specifyAttributes', 'Using JSON');
		const byJson = among(...TEMPLATE, 'Attributes (JSON)', 'Header Media');
		await eventually(async () => expect(await editor.labels()).toEqual(byJson));
		await editor.choose('specifyAttributes', 'Using Fields Below');
		await eventually(async () => expect(await editor.labels()).toEqual(template));
	});

	stage.test(
		'that must be filled in are marked, in the panel and on the canvas',
		async (editor) => {
			await editor.openWorkflow(await stage.save({}));
			await editor.openCreator();
			await editor.searchNodes('outbound');
			await editor.entry(NODE).click();
			await editor.entry('Send WhatsApp template message').click();
			await editor.part('ndv').waitFor();
			const required = {
				templateId: 'Template ID',
				channelId: 'Channel ID',
				customerPhone: 'Customer Phone',
			};
			const marked = (name: string) => editor.part('parameter-issues', editor.item(name));
			// A fresh form does not scold; a field that was left empty does.
			for (const name of Object.keys(required)) expect(await marked(name).count()).toBe(0);
			for (const name of Object.keys(required)) {
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

	stage.test('take expressions, and show what comes out of them', async (editor) => {
		await stage.openPanel(editor, {
			list: [{ phone: '1 (555) 010-0200', name: 'Ada' }],
			parameters: { templateId: 'order_confirmation', channelId: '5001', customerPhone: '' },
		});
		await editor.express('customerPhone', '+{{ $json.phone }}');
		await editor.item('customerPhone').getByText('+1 (555) 010-0200', { exact: true }).waitFor();
		await editor.executeStep();
		await eventually(async () => expect(await editor.output.innerText()).toContain('1 item'));
		expect(stage.sandbox.ledger.accepted().map(({ recipient }) => recipient)).toEqual([
			'+15550100200',
		]);
	});
}
