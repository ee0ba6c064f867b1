import { Ledger } from '../../../../nodes/OutboundMessaging/delivery/ledger';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Message, PlannedItem } from '../../../../nodes/OutboundMessaging/delivery/message';
import { KeyStore, openKeyStore } from '../../../../nodes/OutboundMessaging/delivery/keys/keyStore';
import type { Store } from '../../../../nodes/OutboundMessaging/delivery/keys/lockRow';
import { Database, Process, World } from './world';

const never = () => false;
let world: World;
let database: Database;
let count = 0;

beforeEach(() => {
	world = new World();
	database = new Database(world);
});

/** What happens instead of a call of the store, by its method and scope. */
type Transition = { begins: string; [column: string]: string | undefined };
type Broken = Record<string, (call: () => Promise<unknown>, items: unknown) => Promise<unknown>>;

const hangs = async () => await new Promise<never>(() => {});
const fails = async () => await Promise.reject(new Error('gone'));
const after = (milliseconds: number) => {
	return async (call: () => Promise<unknown>) =>
		await startProcess().process.clock.sleep(milliseconds).then(call);
};
const slowly = after(19_000);
const SLOW = { 'getProcessedDataCount node': slowly, 'checkProcessedAndRecord node': slowly };
/** Only the first time. */
const once = (does: Broken[string]): Broken[string] => {
	let isDone = false;
	return async (call, items) => {
		if (isDone) return await call();
		isDone = true;
		return await does(call, items);
	};
};

/** @param process one that runs already: then it's another execution in it */
function startProcess(broken: Broken = {}, process = new Process(`process ${count++}`, world)) {
	const real = database.storeOf(process);
	const get = (_: Store, method: keyof Store) => {
		const called = real[method] as (...args: unknown[]) => Promise<unknown>;
		return async (...args: unknown[]) => {
			const scope = args.find((arg) => arg === 'node' || arg === 'workflow') as string;
			const call = async () => await called(...args);
			return await (broken[`${method} ${scope}`]?.(call, args[0]) ?? call());
		};
	};
	const broke = new Proxy(real, { get });
	return { process, store: new KeyStore(broke, process.clock, process.name, 100, HOLD_MS) };
}

const HOLD_MS = 20_000;
const OWN = 'key';
const claim = async (store: KeyStore, key = 'key') =>
	await world.until(store.claim({ key }, never, 0));
const pass = async (milliseconds: number) =>
	await world.until(startProcess().process.clock.sleep(milliseconds));
const settled = async (promise: Promise<unknown>) =>
	await world.until(promise.catch((error: unknown) => error));

const entries = () => [...(database.rows.get('node')?.data ?? [])];
/** Those that aren't free, without what else is stored of them. */
const keys = () => entries().filter((entry) => !entry.startsWith('\u0000'));
const isLocked = () => database.rows.has('workflow');

/** The row of a lock whose process was killed. */
async function leaveLock(): Promise<void> {
	const { process, store } = startProcess();
	void store.claim({ key: 'left' }, never);
	while (!isLocked()) await pass(1);
	process.kill();
}

describe('the table of states', () => {
	const [KEY, CONTENT] = ['key', '\u0000content key'];
	const [ENDED, ACC] = ['\u0000ended key', '\u0000accepted key'];
	const LOOKED = '\u0000looked at key';
	const STATES: Record<string, string[]> = {
		free: [],
		'in flight': [KEY, CONTENT],
		uncertain: [KEY, CONTENT, ENDED],
		accepted: [KEY, CONTENT, ENDED, ACC],
		unclear: [KEY, CONTENT, ENDED, ACC, LOOKED],
	};
	const set = (state: string) => {
		database.rows.set('node', { mode: 'entries', data: STATES[state], version: 1_000_000 });
	};
	const state = () => {
		const found = new Set(entries());
		if (found.has(LOOKED)) return 'unclear';
		const same = ([, marks]: [string, string[]]) =>
			marks.length === found.size && marks.every((mark) => found.has(mark));
		return Object.entries(STATES).find(same)?.[0];
	};
	/** Someone who holds the key, as far as they know. */
	const holder = async (broken: Broken = {}) => {
		const started = startProcess(broken);
		await claim(started.store);
		return started;
	};
	const killed = async (does: (store: KeyStore) => Promise<unknown>) => {
		const { process, store } = await holder({ 'removeProcessed node': hangs });
		return async () => {
			void does(store);
			await pass(500);
			process.kill();
		};
	};

	it.each<Transition>([
		{
			begins: 'free',
			claim: 'claimed',
			takes: 'none',
			accept: 'accepted',
			markUncertain: 'uncertain',
			release: 'free',
			lookKilled: 'in flight',
			releaseKilled: undefined,
		},
		{
			begins: 'in flight',
			claim: 'uncertain',
			takes: 'hold',
			accept: 'accepted',
			markUncertain: 'uncertain',
			release: 'free',
			lookKilled: 'unclear',
			releaseKilled: 'uncertain',
		},
		{
			begins: 'uncertain',
			claim: 'uncertain',
			takes: 'none',
			accept: 'accepted',
			markUncertain: 'uncertain',
			release: 'uncertain',
			lookKilled: 'unclear',
			releaseKilled: 'uncertain',
		},
		{
			begins: 'accepted',
			claim: 'alreadySent',
			takes: 'none',
			accept: 'accepted',
			markUncertain: 'accepted',
			release: 'accepted',
			lookKilled: 'unclear',
			releaseKilled: 'accepted',
		},
		{
			begins: 'unclear',
			claim: 'uncertain',
			takes: 'none',
			accept: 'unclear',
			markUncertain: 'unclear',
			release: 'unclear',
			lookKilled: 'unclear',
			releaseKilled: 'unclear',
		},
	])('$begins', async ({ begins, claim: found, takes, ...then }: Transition) => {
		const looker = startProcess().store;
		set(begins);
		const before = world.now;
		expect(await world.until(looker.claim({ key: OWN }, never))).toBe(found);
		expect(world.now - before > HOLD_MS - 3_000).toBe(takes === 'hold');
		expect(state()).toBe(begins === 'free' ? 'in flight' : begins);

		const ends: Record<string, unknown> = {};
		for (const how of ['accept', 'markUncertain', 'release'] as const) {
			database.rows.delete('node');
			const { store } = await holder();
			set(begins);
			await world.until(store.end(how, { key: OWN }));
			ends[how] = state();
		}
		const kills: Record<string, (store: KeyStore) => Promise<unknown>> = {
			lookKilled: async (store) => await store.claim({ key: OWN }, never),
			releaseKilled: async (store) => await store.end('release', { key: OWN }),
		};
		for (const [end, does] of Object.entries(kills)) {
			database.rows.clear();
			const kill = await killed(does);
			set(begins);
			await kill();
			ends[end] = state();
		}
		expect(ends).toEqual(then);
	});
});

it('who waits for a key gets it soon after it is released', async () => {
	const { store } = startProcess();
	await claim(store);
	const waiting = startProcess().store.claim({ key: OWN }, never);
	await pass(9_000);
	await world.until(store.end('release', { key: OWN }));
	const releasedAt = world.now;
	expect(await world.until(waiting)).toBe('claimed');
	const soonMs = 2_000;
	expect(world.now - releasedAt).toBeLessThan(soonMs);
});

/** What is done with the keys, and how many entries it has: `add 3`; and with the lock. */
let calls: string[] = [];
const noted = (what: string): Broken[string] => {
	return async (call, items) => {
		calls.push(Array.isArray(items) ? `${what} ${items.length}` : what);
		return await call();
	};
};
const NOTED = {
	'checkProcessedAndRecord node': noted('add'),
	'removeProcessed node': noted('remove'),
	'getProcessedDataCount node': noted('count'),
	'getProcessedDataCount workflow': noted('is it locked?'),
	'clearAllProcessedItems workflow': noted('unlock'),
};
const locked = (...work: string[]) => ['is it locked?', ...work, 'unlock'];

it('a claim is one write, and accepted another; one entry is removed to see that', async () => {
	const { store } = startProcess(NOTED);
	await claim(store, 'first');
	await pass(100);
	calls = [];
	await claim(store);
	// The next message with the key may start before the mark is written.
	const both = [store.end('accept', { key: OWN }), store.claim({ key: OWN }, never, 0)];
	expect(await world.until(Promise.all(both))).toEqual([undefined, 'alreadySent']);
	await pass(100);
	const turns = [['add 2'], ['add 4'], ['add 2', 'add 3', 'remove 1']];
	expect(calls).toEqual(turns.flatMap((turn) => locked(...turn)));
});

it('what is asked for at once is done together, and then no one is at work any more', async () => {
	const { store } = startProcess(NOTED);
	calls = [];
	await world.until(Promise.all([...'abc'].map(async (key) => await store.claim({ key }, never))));
	await pass(1_000);
	expect(calls).toEqual(locked('count', 'add 6'));
	expect(world.isOver).toBe(true);
});

it('at most fifteen entries are removed at once', async () => {
	const names = Array.from({ length: 12 }, (_, index) => `key ${index}`);
	const all = async (store: KeyStore) =>
		await world.until(
			Promise.all(names.map(async (name) => await store.claim({ key: name }, never, 0))),
		);
	await all(startProcess().store);
	calls = [];
	expect(new Set(await all(startProcess(NOTED).store))).toEqual(new Set(['uncertain']));
	const removals = calls.filter((call) => call.startsWith('remove'));
	expect(removals).toEqual(['remove 15', 'remove 15', 'remove 6']);
	expect(keys().sort()).toEqual([...names].sort());
});

it.each([
	['key', async () => await claim(startProcess().store)],
	['lock', leaveLock],
])('a %s is not waited for after the run is canceled', async (_, hold) => {
	const { store } = startProcess();
	await claim(store, 'another');
	await pass(1_000);
	await hold();
	let isCanceled = false;
	const waiting = store.claim({ key: OWN }, () => isCanceled);
	await pass(3_000);
	isCanceled = true;
	expect(await world.until(waiting)).toBe('stopped');
	expect(world.now).toBeLessThan(6_000);
});

it('neither to prepare nor to claim in a canceled run changes anything', async () => {
	await world.until(startProcess().store.prepare(never, []));
	expect(await world.until(startProcess().store.claim({ key: OWN }, () => true, 0))).toBe(
		'stopped',
	);
	await pass(1_000);
	expect(database.rows.size).toBe(0);
});

describe('a store that keeps 100 keys', () => {
	const listOf = (name: string, length: number) =>
		Array.from({ length }, (_, index) => `${name} ${index}`);
	/** Sends a list, ten messages at a time. */
	const send = async (list: string[]) => {
		const { store } = startProcess();
		const claims: Record<string, number> = {};
		for (let start = 0; start < list.length; start += 10) {
			const part = list.slice(start, start + 10).map(async (key) => {
				const found = await store.claim({ key }, never, 0);
				claims[found] = (claims[found] ?? 0) + 1;
				if (found === 'claimed') await store.end('accept', { key });
			});
			await world.until(Promise.all(part));
		}
		return { claims, pushedOut: store.pushedOut };
	};

	it('loses none of those that a second run of the same list needs', async () => {
		const list = listOf('key', 100);
		await send(listOf('older', 300));
		await send(list.slice(0, 60));
		await send(list.slice(60));
		expect(await send(list.reverse())).toEqual({ claims: { alreadySent: 100 }, pushedOut: 0 });
	});

	it('pushes out the oldest, and says how many', async () => {
		await send(listOf('key', 100));
		const { pushedOut } = await send(listOf('new', 150));
		expect(Math.abs(pushedOut - 145)).toBeLessThan(10);
		expect(entries()).toContain('new 50');
		expect(entries().filter((entry) => !entry.includes('new '))).toEqual([]);
		expect(entries().length).toBeLessThanOrEqual(445);
	});
});

it.each([
	{
		what: "its mark for content, and that it's accepted",
		left: ['\u0000content key', '\u0000ended key', '\u0000accepted key'],
	},
	{
		what: "its own entry, and that it's accepted",
		left: ['key', '\u0000ended key', '\u0000accepted key'],
	},
	{
		what: "what was renewed with its acceptance: 'ended' was older",
		left: ['key', '\u0000content key', '\u0000accepted key'],
	},
])(
	'a full store has of an accepted key only $what: it was sent',
	async ({ left }: { left: string[] }) => {
		database.rows.set('node', { mode: 'entries', data: left, version: 1_000_000 });
		expect(await claim(startProcess().store)).toBe('alreadySent');
		expect(entries().sort()).toEqual([...left].sort());
	},
);

describe('a key that was uncertain, and is resent and accepted later', () => {
	const fill = async (name: string, count: number) => {
		const { store } = startProcess();
		for (let index = 0; index < count; index++) {
			await claim(store, `${name} ${index}`);
			await world.until(store.end('accept', { key: `${name} ${index}` }));
		}
	};
	const leaveUncertain = async () => {
		const { store } = startProcess();
		await claim(store);
		await world.until(store.end('markUncertain', { key: OWN }));
	};

	it(
		'is as new as its acceptance: ' + 'a full store keeps it for as many newer keys as any other',
		async () => {
			await leaveUncertain();
			await fill('earlier', 99);
			const { store } = startProcess();
			expect(await claim(store)).toBe('uncertain');
			await world.until(store.end('markUncertain', { key: OWN }));
			await world.until(store.end('accept', { key: OWN }));
			await fill('later', 99);
			expect(await claim(startProcess().store)).toBe('alreadySent');
		},
	);

	it.each([0, 1, 2, 3, 4, 5])(
		'is never free if n8n is killed before write %d of its acceptance',
		async (writes) => {
			await leaveUncertain();
			let left = Infinity;
			const counted: Broken[string] = async (call) => {
				if (left-- === 0) process.kill();
				return await call();
			};
			const broken = { 'checkProcessedAndRecord node': counted, 'removeProcessed node': counted };
			const { process, store } = startProcess(broken);
			expect(await claim(store)).toBe('uncertain');
			left = writes;
			void store.end('accept', { key: OWN }).catch(() => {});
			await pass(60_000);
			expect(await claim(startProcess().store)).not.toBe('claimed');
		},
	);
});

describe('the lock', () => {
	const LOCK_MODE = 'outboundMessaging.lock';
	/** All random numbers are this one. */
	const drawn = (number: number) => jest.spyOn(Math, 'random').mockReturnValue(number);
	afterEach(() => jest.restoreAllMocks());

	it('has a random number of entries, up to 18, which all differ', async () => {
		drawn(0.999);
		await leaveLock();
		expect(new Set(database.rows.get('workflow')!.data).size).toBe(18);
	});

	/**
	 * The waiter's first change of the row is a probe, the second one announces it, and with the
	 * third one it takes over.
	 */
	const pausesAt = (change: number) => (process: Process, broken: Broken) => {
		let changes = 0;
		broken['checkProcessedAndRecord workflow'] = async (call) => {
			if (++changes === change) process.pause(8_000);
			return await call();
		};
	};
	const at = (seconds: number, does: (process: Process) => void) => (process: Process) =>
		world.at(seconds * 1000, () => does(process));
	const replaceRow = () => {
		const { data, ...row } = database.rows.get('workflow')!;
		const theirs = data.map((entry, index) => (index === 0 ? entry : `theirs ${index}`));
		database.rows.set('workflow', { ...row, data: theirs });
	};

	it.each<[string, number, (process: Process, broken: Broken) => void]>([
		['the waiter pauses for 10 s after 5', 60, at(5, (process) => process.pause(10_000))],
		['the waiter pauses for 8 s as it announces itself', 85, pausesAt(2)],
		['the waiter pauses for 8 s as it takes over', 100, pausesAt(3)],
		['another has taken over after 40 s', 92, at(40, replaceRow)],
	])('left by a killed process: if %s, it is free in %d s', async (_, seconds, does) => {
		drawn(0);
		await leaveLock();
		const begun = world.now;
		const broken: Broken = {};
		const { process, store } = startProcess(broken);
		does(process, broken);
		expect(await claim(store)).toBe('claimed');
		expect(Math.floor((world.now - begun) / 1000)).toBe(seconds);
	});

	it('that a killed process has left is taken over 45 seconds after it last changed', async () => {
		await leaveLock();
		const row = database.rows.get('workflow')!;
		const claims = [0, 1, 2, 3, 0, 1, 2, 3].map(
			async (key) => await startProcess().store.claim({ key: `key ${key}` }, never),
		);
		while (database.rows.get('workflow')!.data.length === row.data.length) await pass(100);
		// It changes hands while they wait.
		database.rows.set('workflow', { ...row, data: [...row.data, 'of', 'another'] });
		await pass(44_000);
		expect(entries()).toEqual([]);
		const found = await world.until(Promise.all(claims));
		expect(found.filter((each) => each === 'claimed')).toHaveLength(4);
		expect(database.overwritten).toEqual([]);
	});

	it('of a holder that gave a call up after 20 seconds is taken over 45 later', async () => {
		const { store } = startProcess({ 'checkProcessedAndRecord node': hangs });
		const first = settled(store.claim({ key: OWN }, never, 0));
		expect(await claim(startProcess().store)).toBe('claimed');
		expect(world.now).toBeGreaterThan(60_000);
		expect(String(await first)).toContain('no response within 20 seconds');
	});

	it.each([25, 60])('of a process that paused for %d s is lost, and it stops', async (seconds) => {
		const broken: Broken = {};
		const { process, store } = startProcess(broken);
		broken['checkProcessedAndRecord workflow'] = once(async (call) => {
			const inserted = await call();
			process.pause(seconds * 1000);
			await process.clock.sleep(1);
			return inserted;
		});
		const first = settled(store.claim({ key: OWN }, never, 0));
		await pass(100);
		const second = startProcess(SLOW).store.claim({ key: 'other' }, never, 0);
		expect(String(await first)).toContain('lost its lock');
		await pass(1_000);
		expect(isLocked()).toBe(true);
		expect(await world.until(second)).toBe('claimed');
		expect(keys()).toEqual(['other']);
	});

	it('that was not given back at first is given back later, unless it is gone', async () => {
		const isGone: Broken[string] = async (call) => await call().then(fails);
		const start = (does: Broken[string], broken: Broken = {}) =>
			startProcess({ ...broken, 'clearAllProcessedItems workflow': once(does) }).store;
		for (const [key, does] of Object.entries({ fails, isGone })) {
			await claim(start(does), key);
			await pass(1_000);
			expect(isLocked()).toBe(false);
		}
		const theirs = { mode: LOCK_MODE, data: [LOCK_MODE, 'theirs'], version: 1 };
		const isTaken: Broken[string] = async (call) => {
			await call();
			database.rows.set('workflow', theirs);
			await fails();
		};
		await claim(start(isTaken), 'taken');
		await pass(1_000);
		expect(database.rows.get('workflow')?.data).toContain('theirs');
		database.rows.delete('workflow');
		// With too little time left, it isn't tried again.
		await claim(start(fails, { 'checkProcessedAndRecord node': slowly }), 'slow');
		await pass(1_000);
		expect(isLocked()).toBe(true);
		database.rows.delete('workflow');
		// A deletion without an answer may still take place, and then the row is another's:
		// it isn't repeated.
		await claim(start(hangs), 'late');
		await pass(30_000);
		expect(isLocked()).toBe(true);
		database.rows.delete('workflow');
		await claim(start(isGone), 'second');
		const third = startProcess(SLOW).store.claim({ key: 'third' }, never, 0);
		await pass(2_000);
		expect(isLocked()).toBe(true);
		expect(await world.until(third)).toBe('claimed');
	});

	it('that others never give back is not waited for without end; nothing is stored', async () => {
		const changing: Broken = {};
		const { process, store } = startProcess(changing);
		// Another execution in the same process: it waits for its turn later.
		const other = startProcess(changing, process).store;
		await claim(other, 'earlier');
		await pass(1_000);
		await leaveLock();
		changing['getProcessedDataCount workflow'] = async () => world.now;
		const begun = world.now;
		const marked = settled(store.end('accept', { key: OWN }));
		const claimed = settled(other.claim({ key: OWN }, never, 0));
		expect(String(await marked)).toContain('another n8n process held the lock the whole time');
		expect(String(await claimed)).toContain('for 120 seconds');
		expect(world.now - begun).toBeLessThan(125_000);
		expect(keys()).toEqual(['earlier']);
	});

	it("isn't made of another node's row: the list is rejected, the row stays as it is", async () => {
		const row = { mode: 'latestDate', data: ['theirs'], version: 1 };
		database.rows.set('workflow', row);
		const { store } = startProcess();
		for (const refused of [store.prepare(never, []), store.claim({ key: OWN }, never, 0)])
			expect(String(await settled(refused))).toContain('Remove Duplicates');
		expect(database.rows.get('workflow')).toBe(row);
		expect(entries()).toEqual([]);
		expect(world.now).toBeLessThan(5_000);
	});
});

describe('a database', () => {
	it.each([
		['checkProcessedAndRecord', 'no response within'],
		['getProcessedDataCount', 'no response within'],
		['clearAllProcessedItems', 'claimed'],
	])('that never answers (%s) ends every claim: %s', async (method, end) => {
		const broken: Broken = {};
		const { store } = startProcess(broken);
		await claim(store);
		await pass(3_000);
		Object.assign(broken, { [`${method} node`]: hangs, [`${method} workflow`]: hangs });
		const claims = ['one', 'two'].map(async (key) => await settled(store.claim({ key }, never, 0)));
		for (const found of await Promise.all(claims)) expect(String(found)).toContain(end);
		expect(world.now).toBeLessThan(400_000);
	});

	it.each([
		['once', 'checkProcessedAndRecord', 'accept', 'undefined', 'alreadySent'],
		['once', 'removeProcessed', 'release', 'undefined', 'claimed'],
		['always', 'checkProcessedAndRecord', 'accept', 'gone', 'uncertain'],
		['always', 'removeProcessed', 'release', 'gone', 'uncertain'],
	] as const)('that fails %s (%s, %s): %s, and then %s', async (how, method, call, end, next) => {
		const broken: Broken = {};
		const { store } = startProcess(broken);
		await claim(store);
		broken[`${method} node`] = how === 'once' ? once(fails) : fails;
		expect(String(await settled(store.end(call, { key: OWN })))).toContain(end);
		expect(await claim(startProcess().store)).toBe(next);
	});
});

// What happens with more is in test/engine.
it('a run may have as many keys as the store keeps', () => {
	const context = { getWorkflow: () => ({ id: 'id' }), helpers: {} } as IExecuteFunctions;
	const request = { url: 'https://api.example.com/text', body: {} };
	const message: Message = { itemIndex: 0, recipient: 'Ada', request };
	const items = new Array<PlannedItem>(20_000).fill({ message });
	const retry = new Ledger({}, { id: '1', executionId: '2', isRetry: true }, '0');
	expect(openKeyStore(context, retry, items, [], 1000)?.pushedOut).toBe(0);
	// All were sent by an earlier try, without the keys that they have now.
	const ended = new Array(20_001).fill({ key: 'key', entry: {} }) as never;
	const open = () => openKeyStore(context, retry, [], ended, 1000);
	expect(open).toThrow('This step has 20001 messages, more than the 20000 that it can keep');
});
