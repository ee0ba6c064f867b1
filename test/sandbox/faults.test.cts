import { Faults, type Conditions, type FaultRule } from '../../sandbox/faults.cts';
import { startSandbox } from '../../sandbox/index.cts';
import { SlidingWindow } from '../../sandbox/slidingWindow.cts';
import { bodies, useSandbox, type AnyBody } from './sandbox.cts';

const used = useSandbox();
const set = (...rules: FaultRule[]) => used.sandbox.faults.set(rules);
const last = () => used.sandbox.ledger.entries().at(-1)!;

async function until(condition: () => unknown) {
	for (let turn = 0; turn < 400 && !condition(); turn++) {
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

/** The server notices the end of a connection a moment later than the client. */
async function settled() {
	await until(() => used.sandbox.ledger.entries().at(-1)?.endedAt);
	return last();
}

describe('what', () => {
	test('latency: late, but accepted at once', async () => {
		set({ what: 'latency', ms: 100 });
		const answer = used.post('text');
		await until(() => used.sandbox.ledger.entries().at(-1)?.accepted);
		expect(last()).toMatchObject({ accepted: true, endedAt: null });
		expect((await answer).status).toBe(200);
	});

	test.each([400, 403, 404, 409, 500, 502, 504])('status %i', async (status) => {
		set({ what: 'status', status });
		const answer = await used.post('text');
		expect(answer.status).toBe(status);
		expect(answer.json).toEqual(
			status === 403
				? { detail: expect.any(String) }
				: { error: expect.any(String), code: `status_${status}`, success: false },
		);
		expect(last()).toMatchObject({ status, accepted: false, fault: 'status' });
	});

	test('status with its own body, headers and acceptance', async () => {
		set({
			name: 'gateway',
			what: 'status',
			status: 502,
			body: 'Bad Gateway',
			headers: { 'x-gateway': 'g1' },
			contentType: 'text/x-odd',
			accepted: true,
		});
		const answer = await used.post('text');
		expect([answer.status, answer.text]).toEqual([502, 'Bad Gateway']);
		expect(answer.headers.get('x-gateway')).toBe('g1');
		expect(answer.headers.get('content-type')).toBe('text/x-odd');
		expect(last()).toMatchObject({ status: 502, accepted: true, fault: 'gateway' });
	});

	test.each([
		['rateLimit', 429],
		['unavailable', 503],
	] as const)('%s with every kind of Retry-After', async (what, status) => {
		const header = async (retryAfter?: string | number) => {
			set({ what, retryAfter });
			const answer = await used.post('text');
			expect([answer.status, last().accepted]).toEqual([status, false]);
			return answer.headers.get('retry-after');
		};
		expect(await header(undefined)).toBeNull();
		expect(await header(2)).toBe('2');
		expect(await header('soon')).toBe('soon');
		const wait = Date.parse(String(await header('date'))) - Date.now();
		expect(wait).toBeGreaterThan(900);
		expect(wait).toBeLessThanOrEqual(2000);
	});

	test('cutBefore: no answer, not accepted', async () => {
		set({ what: 'cutBefore' });
		await expect(used.post('text')).rejects.toThrow();
		expect(await settled()).toMatchObject({ accepted: false, status: null, fault: 'cutBefore' });
	});

	test('cutAfter: no answer, accepted anyway', async () => {
		set({ what: 'cutAfter' });
		await expect(used.post('text')).rejects.toThrow();
		expect(await settled()).toMatchObject({ accepted: true, status: null, fault: 'cutAfter' });
	});

	test('cutDuringBody: a 200 that breaks off', async () => {
		set({ what: 'cutDuringBody' });
		await expect(used.post('text')).rejects.toThrow();
		expect(await settled()).toMatchObject({ accepted: true, status: 200 });
	});

	test.each([true, false])(
		'hang until the client gives up, afterAccept %s',
		async (afterAccept) => {
			set({ what: 'hang', afterAccept });
			await expect(used.post('text', undefined, { timeout: 60 })).rejects.toThrow(/timeout/);
			expect(await settled()).toMatchObject({ accepted: afterAccept, status: null });
		},
	);

	test('hang for a while, then the connection breaks', async () => {
		set({ what: 'hang', ms: 30 });
		await expect(used.post('text')).rejects.toThrow('fetch failed');
	});

	test('html', async () => {
		set({ what: 'html' });
		const answer = await used.post('text');
		expect(answer.status).toBe(200);
		expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
		expect(answer.text).toMatch(/^<!doctype html>/);
		expect(last().accepted).toBe(false);
	});

	test('redirect', async () => {
		set({ what: 'redirect', status: 307, location: '/elsewhere' });
		const answer = await used.post('text');
		expect([answer.status, answer.headers.get('location')]).toEqual([307, '/elsewhere']);
		expect(last().accepted).toBe(false);
	});

	test('slowBody: the whole record, in drops', async () => {
		set({ what: 'slowBody', ms: 100 });
		const { status, json } = await used.post('text');
		expect([status, json.extra.success]).toEqual([200, true]);
		expect(last().accepted).toBe(true);
	});

	test('notARecord and empty: 2xx, accepted unless told otherwise', async () => {
		set({ what: 'notARecord', body: [1] });
		expect(await used.post('text')).toMatchObject({ status: 200, text: '[1]' });
		expect(last().accepted).toBe(true);
		set({ what: 'empty', status: 204, accepted: false });
		expect(await used.post('text')).toMatchObject({ status: 204, text: '' });
		expect(last().accepted).toBe(false);
	});

	test('successFalse: a record that says no, not accepted', async () => {
		set({ what: 'successFalse' });
		const { status, json } = await used.post('template');
		expect(status).toBe(200);
		expect(json).toMatchObject({ function_name: 'send_template_message', status: 'ongoing' });
		expect(json.extra).toMatchObject({ customer_phone: '+4915112345678', success: false });
		expect(last().accepted).toBe(false);
	});

	test('limit: a real one, over a sliding window', async () => {
		set({ what: 'limit', requests: 2, perMs: 150, retryAfter: 'auto' });
		const statuses: number[] = [];
		for (let index = 0; index < 3; index++) statuses.push((await used.post('text')).status);
		expect(statuses).toEqual([200, 200, 429]);
		expect((await used.post('text')).headers.get('retry-after')).toBe('1');
		await new Promise((resolve) => setTimeout(resolve, 160));
		expect((await used.post('text')).status).toBe(200);
	});

	test('the sliding window admits as many as it says in any stretch', () => {
		const window = new SlidingWindow(2, 100);
		const admitted = [0, 10, 20, 99, 100, 105, 110, 200].filter((now) => window.admit(now));
		expect(admitted).toEqual([0, 10, 100, 110, 200]);
		expect(window.roomInMs(205)).toBe(5);
	});
});

describe('when', () => {
	/** Which of these requests, counted from 1, the rule strikes. */
	function struck(when: Conditions | undefined, recipients: number | string[]): number[] {
		const faults = new Faults();
		faults.set([{ what: 'cutAfter', when }]);
		const list = Array.isArray(recipients) ? recipients : Array<string>(recipients).fill('1');
		return list.flatMap((recipient, index) =>
			faults.meet({ operation: 'send_text_message', recipient }, 'valid') ? [index + 1] : [],
		);
	}

	test.each<[string, Conditions | undefined, number | string[], number[]]>([
		['always', undefined, 3, [1, 2, 3]],
		['nth', { nth: 2 }, 4, [2]],
		['several nth', { nth: [1, 3] }, 4, [1, 3]],
		['first', { first: 2 }, 4, [1, 2]],
		['every', { every: 2 }, 5, [2, 4]],
		['recipient', { recipient: '7' }, ['1', '7', '7'], [2, 3]],
		['recipients', { recipient: ['7', '8'] }, ['8', '1', '7'], [1, 3]],
		['nth of a recipient', { recipient: '7', nth: 2 }, ['7', '1', '7'], [3]],
		['operation', { operation: 'send_text_message' }, 1, [1]],
		['another operation', { operation: 'send_template_message' }, 1, []],
		['first of each', { perRecipientFirst: 1 }, ['1', '2', '1', '2', '3'], [1, 2, 5]],
		['never', { probability: 0 }, 50, []],
		['surely', { probability: 1 }, 2, [1, 2]],
	])('%s', (_, when, recipients, expected) => {
		expect(struck(when, recipients)).toEqual(expected);
	});

	test('probability is the same for the same seed, and about as likely as it says', () => {
		const one = struck({ probability: 0.1, seed: 7 }, 5000);
		expect(struck({ probability: 0.1, seed: 7 }, 5000)).toEqual(one);
		expect(struck({ probability: 0.1, seed: 8 }, 5000)).not.toEqual(one);
		expect(one.length).toBeGreaterThan(400);
		expect(one.length).toBeLessThan(600);
	});

	test('untilMs since the rule was set', async () => {
		const faults = new Faults();
		faults.set([{ what: 'cutAfter', when: { untilMs: 30 } }]);
		const request = { operation: 'send_text_message', recipient: '1' } as const;
		expect(faults.meet(request, 'valid')).toBeDefined();
		await new Promise((resolve) => setTimeout(resolve, 40));
		expect(faults.meet(request, 'valid')).toBeUndefined();
	});

	test('the first rule that strikes wins, and every rule counts for itself', () => {
		const faults = new Faults();
		faults.set([
			{ name: 'a', what: 'cutAfter', when: { nth: [1, 2] } },
			{ name: 'b', what: 'cutBefore', when: { nth: [2, 3] } },
		]);
		const request = { operation: 'send_text_message', recipient: '1' } as const;
		const names = [1, 2, 3, 4].map(() => faults.meet(request, 'valid')?.name);
		expect(names).toEqual(['a', 'a', 'b', undefined]);
		expect(faults.list()).toMatchObject([
			{ matched: 4, hits: 2 },
			{ matched: 4, hits: 1 },
		]);
	});
});

describe('key and body', () => {
	test("a fault doesn't change what a bad key or a bad body gets", async () => {
		set({ what: 'rateLimit' });
		expect((await used.postNothing('nope')).status).toBe(401);
		expect((await used.postNothing()).status).toBe(400);
		expect((await used.post('text')).status).toBe(429);
	});

	test.each<[FaultRule, number]>([
		[{ what: 'rateLimit', retryAfter: 3 }, 429],
		[{ what: 'status', status: 500 }, 500],
		[{ what: 'html' }, 200],
		[{ what: 'redirect', status: 301 }, 301],
		[{ what: 'latency', ms: 5 }, 400],
	])('evenInvalid also meets a POST without content: %j', async (rule, status) => {
		set({ ...rule, evenInvalid: true });
		expect((await used.postNothing('nope')).status).toBe(401);
		expect((await used.postNothing()).status).toBe(status);
		expect(last()).toMatchObject({ accepted: false, fault: rule.what });
	});

	test('beforeAuth meets a bad key too', async () => {
		set({ what: 'status', status: 403, beforeAuth: true });
		expect((await used.postNothing('nope')).status).toBe(403);
		set({ what: 'latency', ms: 5, beforeAuth: true });
		expect((await used.postNothing('nope')).status).toBe(401);
		expect((await used.post('text')).status).toBe(200);
		expect(last()).toMatchObject({ accepted: true, fault: 'latency' });
	});
});

describe('control', () => {
	test.each([
		['no list', { what: 'cutAfter' }],
		['an unknown kind', [{ what: 'explode' }]],
		['an inherited name', [{ what: 'toString' }]],
		['an unknown setting', [{ what: 'latency', msec: 5 }]],
		['a setting of the wrong type', [{ what: 'latency', ms: '5' }]],
		['an unknown condition', [{ what: 'cutAfter', when: { nht: 2 } }]],
		['a missing status', [{ what: 'status' }]],
		['a record without a valid message', [{ what: 'slowBody', evenInvalid: true }]],
	])('a mistyped rule is an error: %s', async (_, rules) => {
		expect(() => used.sandbox.faults.set(rules as FaultRule[])).toThrow(TypeError);
		const response = await used.control('faults', 'PUT', rules);
		const { code } = (await response.json()) as AnyBody;
		expect([response.status, code]).toEqual([400, 'fault_rule']);
	});

	test('set, read and cleared over HTTP', async () => {
		const rules = [{ what: 'status', status: 500, when: { first: 1 } }];
		await used.control('faults', 'PUT', rules);
		expect((await used.post('text')).status).toBe(500);
		expect((await used.post('text')).status).toBe(200);
		expect(await (await used.control('faults')).json()).toEqual([
			{ ...rules[0], matched: 2, hits: 1 },
		]);
		expect((await used.control('faults', 'DELETE')).status).toBe(204);
		expect(used.sandbox.faults.list()).toEqual([]);
	});

	test('stop ends a hanging request at once', async () => {
		const other = await startSandbox();
		other.faults.set([{ what: 'hang' }]);
		const hanging = fetch(`${other.url}/stable/open/customers/send-text-message`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', [other.headerName]: other.apiKey },
			body: JSON.stringify(bodies.text),
		}).catch((error: unknown) => error);
		await until(() => other.ledger.entries().length > 0);
		await other.stop();
		expect(await hanging).toMatchObject({ message: 'fetch failed' });
	});
});
