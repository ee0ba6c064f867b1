/** promises.md, "How a message ends": each row of its table, judged by the sandbox. */
import type { IDataObject } from 'n8n-workflow';

import { engine, once, received } from './help';
import * as hints from '../../nodes/OutboundMessaging/output/hints';
import type { Sending } from '../engine/workflows';
import { CONTINUE, customers, ONE_BY_ONE, rejects, TEMPLATE } from '../engine/workflows';
import type { FaultRule } from '../../sandbox/index.cts';

const NO_ONE = [0, 0, 0];

const detailsOf = ({ details }: IDataObject) => details as IDataObject;

describe('accepted | The service confirmed it. The output is its confirmation. | Yes', () => {
	it('the output is the record that the service sent', async () => {
		const record = {
			id: 'm-1',
			function_name: 'send_text_message',
			status: 'COMPLETED',
			extra: {},
		};
		engine.faults({ what: 'status', status: 200, body: record, accepted: true });
		const execution = await engine.send({}, customers(3));
		expect(execution.json()).toEqual([record, record, record]);
		expect(received(3)).toEqual(once(3));
	});

	it('also if n8n runs out of memory afterwards', async () => {
		jest.spyOn(hints, 'addOutcomeHints').mockImplementationOnce(() => {
			throw new Error('out of memory');
		});
		const execution = await engine.send(CONTINUE, customers(3));
		expect(execution.deliveries()).toEqual(['accepted', 'accepted', 'accepted']);
		expect(received(3)).toEqual(once(3));
	});
});

describe(
	"rejected | A check or the service rejected it, or n8n couldn't connect. | " +
		'Not this time. With the code uncertainDelivery or sentByOtherRetry, or the status 409, ' +
		'an earlier message may have been.',
	() => {
		it('a check rejected it', async () => {
			const spec = { ...CONTINUE, parameters: { ...TEMPLATE, customerPhone: 'unknown' } };
			const execution = await engine.send(spec, customers(3));
			expect(execution.deliveries()).toEqual(['rejected', 'rejected', 'rejected']);
			expect(received(3)).toEqual(NO_ONE);
		});

		it('the service rejected it', async () => {
			engine.faults(rejects());
			const execution = await engine.send(CONTINUE, customers(3));
			expect(execution.deliveries()).toEqual(['rejected', 'rejected', 'rejected']);
			expect(received(3)).toEqual(NO_ONE);
		});

		it("n8n couldn't connect", async () => {
			engine.useCredential({ baseUrl: 'http://127.0.0.1:9' });
			const execution = await engine.send(CONTINUE, customers(1));
			expect(execution.deliveries()).toEqual(['rejected']);
			expect(engine.received()).toEqual([]);
		});

		it('an earlier step left it uncertain: the code says that it may have been sent', async () => {
			engine.faults({ what: 'cutAfter' });
			const [uncertain] = (await engine.send(CONTINUE, customers(1))).json();
			engine.faults();
			const [row] = customers(1);
			const execution = await engine.send(CONTINUE, [{ ...row, ...uncertain }]);
			expect(execution.deliveries()).toEqual(['rejected']);
			expect(detailsOf(execution.json()[0]).code).toBe('uncertainDelivery');
			expect(received(1)).toEqual([1]);
		});

		it(
			'the service reported a conflict (409): ' + 'the fix says that it may repeat an earlier one',
			async () => {
				engine.faults({ what: 'status', status: 409 });
				const execution = await engine.send(CONTINUE, customers(1));
				expect(execution.deliveries()).toEqual(['rejected']);
				expect(detailsOf(execution.json()[0]).fix).toContain('this one may repeat it');
			},
		);
	},
);

describe(
	'uncertain | The request left n8n, and no clear response came: ' +
		'a timeout, a status of 5xx, a sign-in page. | Maybe',
	() => {
		it.each<[response: string, FaultRule, timesReceived: number]>([
			['a timeout, and the customer has it', { what: 'hang', afterAccept: true }, 1],
			["a timeout, and the customer doesn't have it", { what: 'hang' }, 0],
			['500, and the customer has it', { what: 'status', status: 500, accepted: true }, 1],
			["500, and the customer doesn't have it", { what: 'status', status: 500 }, 0],
			['a sign-in page, and the customer has it', { what: 'html', accepted: true }, 1],
			["a sign-in page, and the customer doesn't have it", { what: 'html' }, 0],
		])('%s', async (_, rule, timesReceived) => {
			engine.faults(rule);
			const execution = await engine.send(CONTINUE, customers(1));
			expect(execution.deliveries()).toEqual(['uncertain']);
			expect(received(1)).toEqual([timesReceived]);
		});
	},
);

describe(
	'notAttempted | The step ended first, the list was rejected as a whole, ' +
		'or a safeguard or a rate limit kept it back. | No, not this time',
	() => {
		const night = { window: { from: '08:00', until: '20:00', timezone: 'UTC' } };

		it.each<[why: string, rule: FaultRule | undefined, Sending, ends: string[]]>([
			[
				'the step ended first, since the service rejected the API key',
				{ what: 'status', status: 401 },
				ONE_BY_ONE,
				['rejected', 'notAttempted', 'notAttempted'],
			],
			[
				'the list was rejected as a whole, for an option',
				undefined,
				{ options: { timeout: 'soon' } },
				['notAttempted', 'notAttempted', 'notAttempted'],
			],
			[
				'a safeguard kept it back: it is night',
				undefined,
				{ safeguards: { allowedHours: night } },
				['notAttempted', 'notAttempted', 'notAttempted'],
			],
			[
				'a rate limit kept it back, which another message met',
				{ what: 'rateLimit', retryAfter: 9 },
				{ options: { ...ONE_BY_ONE.options, rateLimitWait: 0 } },
				['rejected', 'notAttempted', 'notAttempted'],
			],
		])('%s', async (_, rule, spec, ends) => {
			engine.faults(...(rule ? [rule] : []));
			const execution = await engine.send({ ...CONTINUE, ...spec }, customers(3));
			expect(execution.deliveries()).toEqual(ends);
			expect(received(3)).toEqual(NO_ONE);
		});
	},
);

describe(
	'skipped | A safeguard decided against it. The output says which. | ' +
		'No, but alreadySent was sent earlier.',
	() => {
		interface Skipped {
			what: string;
			reason: string;
			safeguards: IDataObject;
			rows: IDataObject[];
			/** How many messages customers 1000 and 1001 have in the end. */
			timesReceived: number[];
		}
		const [first, second] = customers(2);

		it.each<Skipped>([
			{
				what: "customers who don't want to be contacted",
				reason: 'doNotContact',
				safeguards: { doNotContact: ['1000', '1001'] },
				rows: [first, second],
				timesReceived: [0, 0],
			},
			{
				what: "a customer's second row",
				reason: 'repeatedRecipient',
				safeguards: { repeatedRecipients: 'sendFirst' },
				rows: [first, first],
				timesReceived: [1, 0],
			},
			{
				what: 'all after three that went to the test recipient',
				reason: 'testRun',
				safeguards: { testRecipient: '99' },
				rows: [first, second, first, second],
				timesReceived: [0, 0],
			},
		])('$what: $reason', async ({ reason, safeguards, rows, timesReceived }) => {
			const execution = await engine.send({ safeguards }, rows);
			expect(received(2)).toEqual(timesReceived);
			expect(execution.json().at(-1)).toMatchObject({ skipped: true, reason });
		});

		it('customers who have the message of an earlier execution: alreadySent', async () => {
			const safeguards = { sendOnceKey: 'spring' };
			await engine.send({ safeguards }, [first, second]);
			const execution = await engine.send({ safeguards }, [first, second]);
			expect(received(2)).toEqual([1, 1]);
			const skipped = { skipped: true, reason: 'alreadySent' };
			expect(execution.json()).toMatchObject([skipped, skipped]);
		});
	},
);
