import { eventually, NODE, type Stage } from '../help.cts';
import type { FaultRule } from '../../../sandbox/index.cts';

const LIST = [4711, 4712, 4713].map((customer) => ({ customer }));

const PARAMETERS = {
	operation: 'sendText',
	customerId: '={{ $json.customer }}',
	text: 'Your order is on its way',
	options: { maxConcurrency: 1 },
};

/** The second message fails the first time. */
const ONCE: FaultRule = {
	what: 'status',
	status: 400,
	body: { error: 'Try again later', code: 'busy', success: false },
	when: { recipient: '4712', nth: 1 },
};

export function retries(stage: Stage) {
	const tries = () => stage.sandbox.ledger.entries().map(({ recipient }) => recipient);

	stage.test('by "Retry On Fail" send what failed, and nothing twice', async (editor) => {
		stage.sandbox.faults.set([ONCE]);
		await stage.openPanel(editor, { list: LIST, parameters: PARAMETERS });
		await editor.openTab('settings');
		await eventually(async () => expect(await editor.labels()).toContain('Retry On Fail'));
		expect(await editor.labels()).not.toContain('Max. Tries');
		await editor.tick('retryOnFail');
		await eventually(async () =>
			expect(await editor.labels()).toEqual(
				expect.arrayContaining(['Retry On Fail', 'Max. Tries', 'Wait Between Tries (ms)']),
			),
		);
		await editor.output.getByText('This node will automatically retry if it fails').waitFor();
		await editor.executeStep();
		await editor.part('ndv-items-count', editor.output).getByText('3 items').waitFor();
		expect(tries()).toEqual(['4711', '4712', '4712', '4713']);
		expect(stage.sandbox.ledger.duplicates()).toEqual([]);
	});

	stage.test('by the executions list deliver nothing twice', async (editor) => {
		stage.sandbox.faults.set([ONCE]);
		const id = await stage.save({ list: LIST, parameters: PARAMETERS });
		await editor.openWorkflow(id);
		await editor.part('execute-workflow-button').last().click();
		await editor.page.getByText(`Problem in node ‘${NODE}‘`).first().waitFor();
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
