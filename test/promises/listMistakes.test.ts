/** In the continue modes, a mistake in the whole list never looks like messages that were sent. */
import type { IDataObject } from 'n8n-workflow';

import { engine } from './help';
import * as hints from '../../nodes/OutboundMessaging/output/hints';
import { CONTINUE, ERROR_OUTPUT, FAILED, customers, toSend } from '../engine/workflows';
import type { Sending } from '../engine/workflows';

const MISTAKES: Array<[what: string, Sending]> = [
	['an operation that the node does not know', { parameters: { operation: 'sendPigeon' } }],
	['an option that has no such value', { options: { maxConcurrency: 'many' } }],
	['an option in another shape', { options: { includeInputFields: { a: 1 } } }],
	['a limit that is no number', { safeguards: { maxMessages: 'ten' } }],
	['more messages than the limit allows', { safeguards: { maxMessages: 2 } }],
	['opt-outs that are no recipients', { safeguards: { doNotContact: 'Ada' } }],
];

describe.each([
	['continue', CONTINUE, 0],
	['continue with an error output', ERROR_OUTPUT, 1],
])('On Error: %s', (_, onError, output) => {
	const name = output === 0 ? undefined : FAILED;
	const failedOf = (execution: Awaited<ReturnType<typeof engine.run>>) =>
		name === undefined ? execution.json() : execution.json(0, name);

	it.each(MISTAKES)('%s: no item looks sent, and no row is at fault', async (__, spec) => {
		const execution = await engine.run(toSend({ ...onError, ...spec }), customers(3));
		expect(execution.status).toBe('success');
		expect(engine.received()).toEqual([]);
		const failed = failedOf(execution);
		expect(failed).toHaveLength(3);
		for (const { error, details } of failed) {
			expect(error).toEqual(expect.any(String));
			expect((details as IDataObject).delivery).toBe('notAttempted');
			expect((details as IDataObject).code).toBe('listRejected');
		}
	});
});

it('an exception once everything was sent: accepted messages keep their records', async () => {
	const add = jest.spyOn(hints, 'addOutcomeHints');
	add.mockImplementationOnce(() => {
		throw new Error('out of memory');
	});
	const execution = await engine.run(toSend(CONTINUE), customers(3));
	add.mockRestore();
	expect(execution.status).toBe('success');
	expect(engine.accepted()).toHaveLength(3);
	expect(execution.deliveries()).toEqual(['accepted', 'accepted', 'accepted']);
});
