import { eventually, NODE, type Stage } from '../help.cts';
import type { FaultRule } from '../../../sandbox/index.cts';

const TEXT = {
	operation: 'sendText',
	customerId: '={{ $json.customer }}',
	text: '={{ "Hello " + $json.name }}',
};

const LIST = [
	{ customer: 4711, name: 'Ada' },
	{ customer: 4712, name: 'Ben' },
];

const OPTED_OUT: FaultRule = {
	what: 'status',
	status: 400,
	body: { error: 'Customer has opted out', code: 'opted_out', success: false },
	when: { recipient: '4712' },
};

export function failures(stage: Stage) {
	stage.test(
		'a check says what is wrong and how to fix it, and nothing is sent',
		async (editor) => {
			await stage.openPanel(editor, {
				list: [{ phone: '+15550100200' }, { phone: '0555 010 0201' }],
				parameters: {
					operation: 'sendTemplate',
					templateId: 'order_confirmation',
					channelId: '5001',
					customerPhone: '={{ $json.phone }}',
				},
			});
			await editor.executeStep();
			await eventually(async () =>
				expect(await editor.errorTitle.innerText()).toBe(
					`'Customer Phone' "0555 010 0201" has no plus sign and country code [item 1]`,
				),
			);
			const description = await editor.errorDescription.innerText();
			expect(description).toContain(
				'Write the number with a plus sign and the country code in front, e.g. +15550100200',
			);
			expect(description).toContain('Nothing was sent');
			expect(stage.requests()).toEqual([]);
		},
	);

	stage.test(
		'failed items come out of the error output, with the fields of their item',
		async (editor) => {
			stage.sandbox.faults.set([OPTED_OUT]);
			await stage.openPanel(editor, { list: LIST, parameters: TEXT });
			await editor.openTab('settings');
			await editor.choose('onError', 'Continue (using error output)');
			await editor.executeStep();
			await editor.output.getByText('1 of 2 messages accepted, 1 rejected').waitFor();
			await editor.output.getByText('Success Branch (1 item)').waitFor();

			await editor.output.getByText('Error Branch (1 item)').click();
			await eventually(async () =>
				expect(await editor.outputItems()).toEqual([
					{
						customer: 4712,
						name: 'Ben',
						error: 'The service rejected the message (400): Customer has opted out, code opted_out',
						details: {
							delivery: 'rejected',
							fix: expect.stringMatching(/\w{3}/),
							statusCode: 400,
							code: 'opted_out',
							itemIndex: 1,
						},
					},
				]),
			);
			await editor.closeNode();
			const handles = editor.node(NODE).locator('xpath=..').locator('.vue-flow__handle.source');
			expect((await handles.allInnerTexts()).map((text) => text.trim())).toEqual([
				expect.stringContaining('Success'),
				expect.stringContaining('Error'),
			]);
			expect(stage.recipients()).toEqual(['4711']);
		},
	);

	stage.test('a retry from the executions list delivers nothing twice', async (editor) => {
		stage.sandbox.faults.set([{ ...OPTED_OUT, when: { recipient: '4712', nth: 1 } }]);
		const list = [...LIST, { customer: 4713, name: 'Cleo' }];
		const parameters = { ...TEXT, options: { maxConcurrency: 1 } };
		const id = await stage.save({ list, parameters });
		await editor.openWorkflow(id);
		await editor.part('execute-workflow-button').last().click();
		await editor.page.getByText(`Problem in node ‘${NODE}‘`).first().waitFor();
		const tries = () => stage.requests().map(({ recipient }) => recipient);
		expect(tries()).toEqual(['4711', '4712']);

		await editor.openExecutions(id);
		await editor.executions.getByText('Error in').waitFor();
		await editor.retry();
		await editor.executions.getByText('Retry of execution').waitFor();
		await editor.executions.getByText('Succeeded in').waitFor();
		expect(tries()).toEqual(['4711', '4712', '4712', '4713']);
		expect(stage.sandbox.ledger.duplicates()).toEqual([]);
	});
}
