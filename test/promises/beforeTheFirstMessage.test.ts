/** `docs/promises.md`, "Before the first message": each sentence, by what the sandbox received. */
import type { IDataObject } from 'n8n-workflow';

import { engine, once, received, told } from './help';
import * as help from './help';
import type { Sending } from '../engine/workflows';
import { CONTINUE, customers, ERROR_OUTPUT, FAILED } from '../engine/workflows';

const COUNT = 5;
/** The third one has no customer. */
const ROWS_WITH_A_BAD_ONE = customers(COUNT).with(2, { customer: '', text: 'text 2' });

it('All rows are checked before anything is sent.', async () => {
	Object.defineProperty(engine.variables, 'received', {
		enumerable: true,
		get: () => engine.received().length,
	});
	const parameters = { text: '={{ $json.text }}, and {{ $vars.received }} were sent before it' };
	await engine.send({ parameters }, customers(COUNT));
	const texts = engine.ledger.accepted().map(({ body }) => String(body.text));
	const expected = customers(COUNT).map(({ text }) => `${String(text)}, and 0 were sent before it`);
	expect(texts.sort()).toEqual(expected);
});

it('With On Error set to Stop Workflow, one bad row rejects the list.', async () => {
	const execution = await engine.send({}, ROWS_WITH_A_BAD_ONE);
	expect(execution.status).toBe('error');
	expect(execution.words).toContain("'Customer ID' is empty");
	expect(engine.received()).toEqual([]);
});

it('With Continue, only that row fails.', async () => {
	const execution = await engine.send(CONTINUE, ROWS_WITH_A_BAD_ONE);
	const fails = help.failedWith(/'Customer ID' is empty/);
	expect(told(execution)).toEqual(['accepted', 'accepted', fails, 'accepted', 'accepted']);
	expect(received(COUNT)).toEqual(once(COUNT).with(2, 0));
});

describe(
	"What's wrong with the whole list, such as an option or the credential, " +
		'leaves each row notAttempted, with the code listRejected.',
	() => {
		const MISTAKES: Array<[what: string, Sending]> = [
			['an operation that the node does not know', { parameters: { operation: 'sendPigeon' } }],
			['an option that has no such value', { options: { maxConcurrency: 'many' } }],
			['an option in another shape', { options: { includeInputFields: { a: 1 } } }],
			['a limit that is no number', { safeguards: { maxMessages: 'ten' } }],
			['more messages than the limit allows', { safeguards: { maxMessages: 2 } }],
			['opt-outs that are no recipients', { safeguards: { doNotContact: 'Ada' } }],
			['the credential', {}],
		];

		describe.each<[output: string, Sending, nodeWithFailed?: string]>([
			['the regular output', CONTINUE],
			['the error output', ERROR_OUTPUT, FAILED],
		])('on %s', (_, onError, nodeWithFailed) => {
			it.each(MISTAKES)('%s', async (mistake, spec) => {
				if (mistake === 'the credential') engine.useCredential({ baseUrl: 'not a URL' });
				const execution = await engine.send({ ...onError, ...spec }, customers(3));
				expect(execution.status).toBe('success');
				const details: IDataObject = { delivery: 'notAttempted', code: 'listRejected' };
				const failed = { error: expect.any(String) as string, details };
				const rows = execution.json(0, nodeWithFailed);
				expect(rows).toMatchObject([failed, failed, failed]);
				expect(engine.received()).toEqual([]);
			});
		});
	},
);
