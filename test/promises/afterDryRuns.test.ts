/** A run for show leaves nothing behind that a retry takes for a message. */
import * as help from './help';
import { clickRetry, once, received, stoppedAt, stoppedAtSheet, told } from './help';
import type { Sending } from '../engine/workflows';
import { CONTINUE, customers, rejects, toSend } from '../engine/workflows';

const ALL_ACCEPTED = new Array<string>(5).fill('accepted');

describe.each<[string, Sending]>([
	['a dry run', { safeguards: { dryRun: 'always' } }],
	['a test run', { safeguards: { testRecipient: '99' } }],
])('after %s', (_, first) => {
	it('in the first click, the second one sends all of it', async () => {
		const flow = toSend(CONTINUE);
		const failed = await stoppedAtSheet(flow, customers(5), customers(5));
		const saved = help.withSheet(toSend({ ...CONTINUE, ...first }), customers(5), customers(5));
		await clickRetry(failed, saved);
		expect(received()).toEqual([0, 0, 0, 0, 0]);
		expect(told(await clickRetry(failed, help.withSheet(flow, customers(5))))).toEqual(
			ALL_ACCEPTED,
		);
		expect(received()).toEqual(once());
	});

	it('that continued what was stopped, a retry sends the rest', async () => {
		const failed = await stoppedAt(2);
		await clickRetry(failed, { ...CONTINUE, ...first });
		expect(received()).toEqual([1, 1, 0, 0, 0]);
		expect(told(await clickRetry(failed, CONTINUE))).toEqual(ALL_ACCEPTED);
		expect(received()).toEqual(once());
	});
});

it('after a test run that stopped, a retry sends all of it', async () => {
	const toTester = { safeguards: { testRecipient: '99' } };
	const failed = await help.stoppedBy(rejects({ nth: 2 }), toTester);
	expect(received()).toEqual([0, 0, 0, 0, 0]);
	await clickRetry(failed, CONTINUE);
	expect(received()).toEqual(once());
});
