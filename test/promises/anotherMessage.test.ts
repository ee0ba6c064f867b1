/** What isn't the same message for a retry is sent: at another service, by another operation, or after a run that sent nothing. */
import * as help from './help';
import {
	clickRetry,
	CLICKS,
	engine,
	once,
	received,
	stoppedAt,
	stoppedAtSheet,
	told,
} from './help';
import type { Sending } from '../engine/workflows';
import { CONTINUE, customers, rejects, toSend } from '../engine/workflows';

const ALL_ACCEPTED = new Array<string>(5).fill('accepted');

const ATTACHMENT: Sending = {
	parameters: {
		operation: 'sendAttachment',
		attachmentType: 'document',
		attachmentUrl: 'https://example.com/a.pdf',
	},
};
/** The sandbox by another URL. */
const useOtherService = () =>
	engine.useCredential({ baseUrl: engine.sandbox.url.replace('127.0.0.1', 'localhost') });

describe('a retry at another service', () => {
	it('sends all of it there', async () => {
		const failed = await stoppedAt(2);
		useOtherService();
		expect(told(await clickRetry(failed, CONTINUE))).toEqual(ALL_ACCEPTED);
		expect(received()).toEqual([2, 2, 1, 1, 1]);
	});

	it.each(CLICKS)('%s: each once there', async (_, click) => {
		const failed = await stoppedAt(2, { parameters: help.EXECUTION_ID });
		useOtherService();
		const spec = { ...CONTINUE, parameters: help.EXECUTION_ID };
		await click(async () => await clickRetry(failed, spec));
		expect(received()).toEqual([2, 2, 1, 1, 1]);
	});

	it('keeps what the first service accepted', async () => {
		const failed = await stoppedAt(2);
		useOtherService();
		engine.faults(rejects({ nth: 4 }));
		const elsewhere = await clickRetry(failed, { options: { maxConcurrency: 1 } });
		engine.faults();
		engine.useCredential();
		expect((await clickRetry(elsewhere)).status).toBe('success');
		expect(received()).toEqual([2, 2, 2, 1, 1]);
	});

	it('one click here and one there: each once at both', async () => {
		const failed = await stoppedAtSheet(toSend(CONTINUE), customers(5), customers(5));
		await clickRetry(failed);
		useOtherService();
		expect(told(await clickRetry(failed))).toEqual(ALL_ACCEPTED);
		expect(received()).toEqual([2, 2, 2, 2, 2]);
	});
});

describe('a retry with another operation', () => {
	it('sends all of it', async () => {
		const failed = await stoppedAt(2);
		expect(told(await clickRetry(failed, { ...ATTACHMENT, ...CONTINUE }))).toEqual(ALL_ACCEPTED);
		expect(received()).toEqual([2, 2, 1, 1, 1]);
	});

	it('one click with each: each once', async () => {
		const failed = await stoppedAt(2);
		await clickRetry(failed, CONTINUE);
		expect(told(await clickRetry(failed, { ...ATTACHMENT, ...CONTINUE }))).toEqual(ALL_ACCEPTED);
		expect(received()).toEqual([2, 2, 2, 2, 2]);
	});
});

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
