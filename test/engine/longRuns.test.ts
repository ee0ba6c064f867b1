/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** n8n stays in control of a long run: it can be canceled, and lets others have their turn. */
import type { IDataObject, IWorkflowBase } from 'n8n-workflow';

import type { Execution, Running } from './engine';
import { useEngine } from './engine';
import { time } from './virtualTime';
import * as flows from './workflows';
import { customers, ERROR_OUTPUT, TEMPLATE, toSend } from './workflows';

const engine = useEngine();

describe('canceled', () => {
	const sleep = async (milliseconds: number) =>
		await new Promise((resolve) => setTimeout(resolve, milliseconds));

	/** In real time until the run is canceled, and in virtual time from then on. */
	beforeEach(() => void (time.isVirtual = false));
	async function cancelWhen(isTime: () => boolean, { ended, cancel }: Running): Promise<Execution> {
		while (!isTime()) await sleep(2);
		cancel();
		time.isVirtual = true;
		const canceledAt = performance.now();
		const execution = await ended;
		// What is in flight gets 5 seconds to end by itself.
		expect(performance.now() - canceledAt).toBeLessThan(10_000);
		return execution;
	}

	it.each<[string, IDataObject, IDataObject]>([
		['in full flight', { maxConcurrency: 4 }, { what: 'latency', ms: 60 }],
		['with pacing', { messagesPerSecond: 10 }, { what: 'latency', ms: 5 }],
		['while the service asks to wait', {}, { what: 'rateLimit', retryAfter: 30 }],
		['while it backs off', {}, { what: 'rateLimit' }],
		['while nothing is answered', { maxConcurrency: 3 }, { what: 'hang' }],
	])('it starts nothing more: %s', async (_, options, rule) => {
		engine.faults({ what: 'latency', ...rule });
		const sent = jest.spyOn(engine.credentials, 'authenticate').mock.calls;
		const running = engine.start(toSend({ options, tries: 3 }), customers(150));
		let left = 0;
		const isUnderWay = () => (left = sent.length) >= 1;
		const execution = await cancelWhen(isUnderWay, running);
		expect(execution.status).toBe('canceled');
		expect(execution.words).toContain('The execution was canceled before all messages were sent');
		// The editor has no such button for it.
		expect(execution.words).not.toContain('Retry with');
		// What the service accepted was either seen, or is uncertain because n8n broke the connection.
		const counts = /[1-9]\d* of 150 messages accepted|[1-9]\d* uncertain/;
		expect(execution.words).toMatch(engine.accepted().length > 0 ? counts : /of 150 messages/);
		// Although n8n has asked the node to try once more, after the end; seen where
		// requests are sent.
		await sleep(100);
		expect(sent).toHaveLength(left);
		expect(left).toBeLessThan(150);
		expect(engine.received().length).toBeLessThanOrEqual(left);
		expect(engine.ledger.duplicates()).toEqual([]);
	});

	it('it keeps the keys of what may have arrived, and no others', async () => {
		engine.faults({ what: 'hang', afterAccept: true, when: { nth: [5, 6, 7] } });
		const safeguards = { sendOnceKey: '={{ $json.customer }}' };
		const flow = toSend({ safeguards, options: { maxConcurrency: 3 } });
		const open = () => engine.ledger.entries().filter(({ endedAt }) => endedAt === null);
		await cancelWhen(() => open().length === 3, engine.start(flow, customers(40)));
		expect(engine.accepted().length).toBeGreaterThanOrEqual(5);
		const keys = engine.accepted().map((recipient) => `${recipient} ${recipient}`);
		expect(engine.deduplication.claimed().sort()).toEqual(keys.sort());
	});

	it('a call of an agent sends nothing more', async () => {
		engine.faults({ what: 'rateLimit', retryAfter: 5 });
		const running = engine.start(flows.agent('test.agent'), customers(1));
		await cancelWhen(() => engine.received().length === 1, running);
		await sleep(100);
		expect(engine.received()).toHaveLength(1);
	});
});

/** Counted, since time depends on the machine. */
describe('turns of the event loop', () => {
	const LARGE = 2000;

	/** Only looking at the clock takes time here: so many milliseconds. */
	const LOOK_MS = 0.1;
	/** No one else should wait for longer. */
	const LONGEST_MS = 25;
	/** The clock never goes back. */
	let looks = 0;

	/** So many national numbers, which are the slowest to read. */
	const numbers = (count: number) =>
		Array.from({ length: count }, (_, index) => `0151 ${23_000_000 + index}`);

	const doNotContact = numbers(LARGE).join('\n');
	const germany = { options: { defaultCountry: 'DE' }, safeguards: { doNotContact } };
	const toGermany = flows.looped({ ...germany, parameters: TEMPLATE }, 1);
	const window = { from: '08:00', until: '08:01', timezone: '={{ $json.zone }}' };
	const night = { allowedHours: { window } };
	const dryRun = { dryRun: true, sendOnceKey: '={{ $json.customer }}' };
	const two = [{ phone: '+4930123456' }, { phone: '+4930123457' }];
	const zones = ['UTC', 'Asia/Tokyo'];
	const large = () => customers(LARGE).map((item, index) => ({ ...item, zone: zones[index % 2] }));

	it.each<[what: string, pieces: number, IWorkflowBase, IDataObject[]?]>([
		['national numbers on Do Not Contact, in each turn of a loop', 2 * LARGE, toGermany, two],
		['failed items', 4 * LARGE, toSend({ ...ERROR_OUTPUT, parameters: { customerId: 'x' } })],
		['items outside their hours', 4 * LARGE, toSend({ ...ERROR_OUTPUT, safeguards: night })],
		['a dry run with keys', 7 * LARGE, toSend({ safeguards: dryRun })],
	])(
		'%s: others have their turn in each of %d pieces of work',
		async (_, pieces, flow, items = large()) => {
			const before = looks;
			let turns = 0;
			jest.spyOn(performance, 'now').mockImplementation(() => LOOK_MS * ++looks);
			const { setTimeout: wait } = global;
			jest.spyOn(global, 'setTimeout').mockImplementation(((done: () => void, milliseconds = 0) => {
				if (milliseconds === 0) turns++;
				return wait(done, milliseconds);
			}) as typeof setTimeout);
			await engine.run(flow, items);
			expect(looks - before).toBeGreaterThanOrEqual(pieces);
			expect(turns).toBeGreaterThan((pieces * LOOK_MS) / LONGEST_MS);
		},
	);
});
