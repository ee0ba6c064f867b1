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
	const TEXT_LIKE_JSON = expect.stringMatching(/^\{/);
	const failed = (code: number) =>
		code === 403
			? { detail: expect.any(String) }
			: { error: expect.any(String), code: `status_${code}`, success: false };
	const page = { text: expect.stringMatching(/^<!doctype html>/) };

	test.each<[rule: FaultRule, answer: object, entry: object, headers?: object]>([
		...[400, 403, 404, 409, 500, 502, 504].map((status): [FaultRule, object, object] => [
			{ what: 'status', status },
			{ status, json: failed(status) },
			{ status, accepted: false, fault: 'status' },
		]),
		[
			{
				...{ name: 'gateway', what: 'status', status: 502, body: 'Bad Gateway' },
				...{ headers: { 'x-gateway': 'g1' }, contentType: 'text/x-odd', accepted: true },
			} as FaultRule,
			{ status: 502, text: 'Bad Gateway' },
			{ status: 502, accepted: true, fault: 'gateway' },
			{ 'x-gateway': 'g1', 'content-type': 'text/x-odd' },
		],
		[{ what: 'latency', ms: 20 }, { status: 200 }, { accepted: true }],
		[{ what: 'rateLimit' }, { status: 429 }, { accepted: false }, { 'retry-after': null }],
		[
			{ what: 'rateLimit', retryAfter: 2 },
			{ status: 429 },
			{ accepted: false },
			{ 'retry-after': '2' },
		],
		[
			{ what: 'unavailable', retryAfter: 'soon' },
			{ status: 503 },
			{ accepted: false },
			{ 'retry-after': 'soon' },
		],
		[{ what: 'html' }, { status: 200, ...page }, { accepted: false }],
		[
			{ what: 'redirect', status: 307, location: '/elsewhere' },
			{ status: 307 },
			{ accepted: false },
			{ location: '/elsewhere' },
		],
		[{ what: 'slowBody', ms: 100 }, { status: 200, text: TEXT_LIKE_JSON }, { accepted: true }],
		[{ what: 'notARecord', body: [1] }, { status: 200, text: '[1]' }, { accepted: true }],
		[
			{ what: 'empty', status: 204, accepted: false },
			{ status: 204, text: '' },
			{ accepted: false },
		],
		[
			{ what: 'successFalse' },
			{ status: 200, json: { function_name: 'send_text_message', extra: { success: false } } },
			{ accepted: false },
		],
	])('%j', async (rule, answer, entry, headers = {}) => {
		set(rule);
		const answered = await used.post('text');
		expect(answered).toMatchObject(answer);
		for (const [name, value] of Object.entries(headers)) {
			expect([name, answered.headers.get(name)]).toEqual([name, value]);
		}
		expect(last()).toMatchObject(entry);
	});

	test.each<[rule: FaultRule, entry: object]>([
		[{ what: 'cutBefore' }, { accepted: false, status: null, fault: 'cutBefore' }],
		[{ what: 'cutAfter' }, { accepted: true, status: null, fault: 'cutAfter' }],
		[{ what: 'cutDuringBody' }, { accepted: true, status: 200 }],
		[{ what: 'hang' }, { accepted: false, status: null }],
		[
			{ what: 'hang', afterAccept: true },
			{ accepted: true, status: null },
		],
		[
			{ what: 'hang', ms: 30 },
			{ accepted: false, status: null },
		],
	])('%j: no answer', async (rule, entry) => {
		set(rule);
		await expect(used.post('text', undefined, { timeout: 100 })).rejects.toThrow();
		expect(await settled()).toMatchObject(entry);
	});

	test('Retry-After as a date', async () => {
		set({ what: 'rateLimit', retryAfter: 'date' });
		const { headers } = await used.post('text');
		expect(Date.parse(headers.get('retry-after')!)).toBeGreaterThan(Date.now());
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
