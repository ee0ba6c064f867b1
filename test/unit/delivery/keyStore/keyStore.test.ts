import type { IExecuteFunctions } from 'n8n-workflow';

import { KeyQueue } from '../../../../nodes/OutboundMessaging/delivery/keyQueue';
import {
	openKeyStore,
	QueuedKeyStore,
} from '../../../../nodes/OutboundMessaging/delivery/keyStore';
import type { Store } from '../../../../nodes/OutboundMessaging/delivery/storeLock';
import { Database, INCOMPATIBLE, Process, World } from './world';

const never = () => false;
let world: World;
let database: Database;
let count: number;

beforeEach(() => {
	world = new World();
	database = new Database(world);
	count = 0;
});

interface Options {
	kept?: number;
	/** Replaces calls of the store. */
	broken?(real: Store): Partial<Store>;
}

function startProcess({ kept = 100, broken }: Options = {}) {
	const process = new Process(`process ${count++} of ${Date.now()} ${Math.random()}`, world);
	const real = database.storeOf(process);
	const store = { ...real, ...broken?.(real) };
	const queue = new KeyQueue(store, process.clock, process.name, kept);
	const keyStore = new QueuedKeyStore(queue, process.clock);
	return { process, store: keyStore };
}

const claim = async (store: QueuedKeyStore, key: string, waitMs = 0) =>
	await world.until(store.claim(key, waitMs, never));

/** The entries of a key whose message was accepted. */
const ACCEPTED = ['key', '\u0000accepted key'];
const entries = () => [...(database.rows.get('node')?.data ?? [])];
const isLocked = () => database.rows.has('workflow');

/** The row of a lock whose process was killed. */
async function leaveLock(): Promise<void> {
	const { process, store } = startProcess();
	void store.claim('left', 0, never);
	while (!isLocked()) await world.until(process.clock.sleep(1));
	process.kill();
}

async function settled(promise: Promise<unknown>): Promise<unknown> {
	return await world.until(promise.catch((error: unknown) => error));
}

describe('a key that was claimed', () => {
	it.each([
		['accepted', 'alreadySent', 'alreadySent'],
		['released', 'claimed', undefined],
		['uncertain', 'uncertain', 'claimed'],
		['left in flight', 'uncertain', 'claimed'],
	] as const)('and %s is %s to the next, who gets it by reclaim: %s', async (end, next, again) => {
		const first = startProcess().store;
		expect(await claim(first, 'key')).toBe('claimed');
		if (end === 'accepted') await world.until(first.markAccepted('key'));
		if (end === 'released') await world.until(first.release('key'));
		if (end === 'uncertain') await world.until(first.markUncertain('key'));

		const second = startProcess().store;
		expect(await claim(second, 'key')).toBe(next);
		if (again) expect(await world.until(second.reclaim('key', 0, never))).toBe(again);
		await world.until(startProcess().process.clock.sleep(100));
		expect(isLocked()).toBe(false);
	});

	it('costs one write to claim and one to mark as accepted; one entry is removed to find that out', async () => {
		const writes: string[] = [];
		const { store } = startProcess({
			broken: (real) => ({
				checkProcessedAndRecord: async (items, scope, options) => {
					if (scope === 'node') writes.push(`add ${items.length}`);
					return await real.checkProcessedAndRecord(items, scope, options);
				},
				removeProcessed: async (items, scope, options) => {
					writes.push(`remove ${items.length}`);
					await real.removeProcessed(items, scope, options);
				},
			}),
		});
		await claim(store, 'key');
		expect(writes.splice(0)).toEqual(['add 1']);
		await world.until(store.markAccepted('key'));
		expect(writes.splice(0)).toEqual(['add 2']);
		expect(await claim(store, 'key')).toBe('alreadySent');
		expect(writes).toEqual(['add 1', 'add 2', 'remove 1']);
	});

	it('says nothing about a key whose entries look like it', async () => {
		const { store } = startProcess();
		await claim(store, '\u0000accepted key');
		await claim(store, 'key');
		await world.until(store.release('key'));
		expect(await claim(startProcess().store, 'key')).toBe('claimed');
	});

	it('is waited for while it is in flight, and claimed when it is released', async () => {
		const first = startProcess().store;
		await claim(first, 'key');
		const waiting = startProcess().store.claim('key', 60_000, never);
		await world.until(startProcess().process.clock.sleep(5_000));
		await world.until(first.release('key'));
		expect(await world.until(waiting)).toBe('claimed');
		expect(world.now).toBeLessThan(7_000);
	});

	it('is waited for while it is in flight, and skipped when it is accepted', async () => {
		const first = startProcess().store;
		await claim(first, 'key');
		const waiting = startProcess().store.claim('key', 60_000, never);
		await world.until(first.markAccepted('key'));
		expect(await world.until(waiting)).toBe('alreadySent');
		expect(entries()).toEqual(ACCEPTED);
	});

	it('is not waited for after the run is canceled', async () => {
		await claim(startProcess().store, 'key');
		let isCanceled = false;
		const waiting = startProcess().store.claim('key', 60_000, () => isCanceled);
		await world.until(startProcess().process.clock.sleep(2_000));
		isCanceled = true;
		expect(await world.until(waiting)).toBe('stopped');
		expect(world.now).toBeLessThan(4_000);
	});

	it('is sent again by one of those who want to, and the others hear how it ended', async () => {
		await claim(startProcess().store, 'key');
		const [first, second] = [startProcess().store, startProcess().store];
		expect(await claim(first, 'key')).toBe('uncertain');
		expect(await claim(second, 'key')).toBe('uncertain');
		expect(await world.until(first.reclaim('key', 0, never))).toBe('claimed');
		const other = second.reclaim('key', 10_000, never);
		await world.until(first.markAccepted('key'));
		expect(await world.until(other)).toBe('alreadySent');
	});

	it.each([
		['released, and claimed', 'release', 'claim'],
		['called uncertain, and taken over again', 'markUncertain', 'reclaim'],
	] as const)(
		'is waited for as long as the first time when it was %s between two looks',
		async (_, end, next) => {
			const [first, second, waiting] = [startProcess(), startProcess(), startProcess()];
			await claim(first.store, 'key');
			if (next === 'reclaim') {
				await claim(first.store, 'key');
				await world.until(first.store.reclaim('key', 0, never));
			}
			const resend = async ({ store }: typeof waiting) => {
				const found = await store.claim('key', 10_000, never);
				return found === 'uncertain' ? await store.reclaim('key', 10_000, never) : found;
			};
			const found = resend(waiting);
			// Less than a second before the last look.
			await world.until(first.process.clock.sleep(10_300));
			await world.until(first.store[end]('key'));
			expect(await world.until(second.store[next]('key', 0, never))).toBe('claimed');
			const beside = resend(startProcess());
			await world.until(first.process.clock.sleep(9_000));
			await world.until(second.store.markAccepted('key'));
			expect(await world.until(Promise.all([found, beside]))).toEqual([
				'alreadySent',
				'alreadySent',
			]);
			expect(entries()).toEqual(ACCEPTED);
		},
	);

	it('stays uncertain when it was taken over and not sent', async () => {
		await claim(startProcess().store, 'key');
		const second = startProcess().store;
		await claim(second, 'key');
		await world.until(second.reclaim('key', 0, never));
		await world.until(second.release('key'));
		expect(await claim(startProcess().store, 'key')).toBe('uncertain');
	});

	it('is accepted even if that is heard after others have called it uncertain', async () => {
		const first = startProcess().store;
		await claim(first, 'key');
		const second = startProcess().store;
		expect(await claim(second, 'key')).toBe('uncertain');
		await world.until(first.markAccepted('key'));
		expect(await world.until(second.reclaim('key', 0, never))).toBe('alreadySent');
		expect(entries()).toEqual(ACCEPTED);
	});

	it.each([
		['in flight', 'alreadySent'],
		['accepted', 'uncertain'],
		['uncertain', 'uncertain'],
	] as const)(
		'and is %s is waited for after a look that was killed, then %s',
		async (was, found) => {
			const first = startProcess();
			await claim(first.store, 'key');
			if (was === 'accepted') await world.until(first.store.markAccepted('key'));
			if (was === 'uncertain') await world.until(first.store.markUncertain('key'));
			const looking = startProcess({
				broken: () => ({ removeProcessed: async () => await new Promise(() => {}) }),
			});
			void looking.store.claim('key', 0, never);
			while (!entries().includes('\u0000looked at key'))
				await world.until(first.process.clock.sleep(1));
			looking.process.kill();

			const waiting = startProcess().store.claim('key', 60_000, never);
			await world.until(first.process.clock.sleep(50_000));
			if (was === 'in flight') await world.until(first.store.markAccepted('key'));
			expect(await world.until(waiting)).toBe(found);
			expect(world.now).toBeGreaterThan(50_000);
		},
	);

	it.each(['release', 'markUncertain'] as const)(
		'is not touched by a late %s of whoever had it first',
		async (late) => {
			const first = startProcess().store;
			await claim(first, 'key');
			const second = startProcess().store;
			await claim(second, 'key');
			await world.until(second.reclaim('key', 0, never));
			await world.until(first[late]('key'));
			expect(entries()).toHaveLength(3);
			await world.until(second.markAccepted('key'));
			await world.until(first[late]('key'));
			expect(await claim(startProcess().store, 'key')).toBe('alreadySent');
			expect(entries()).toEqual(ACCEPTED);
		},
	);

	it.each(['release', 'markUncertain'] as const)(
		'is not touched by a late %s of whoever took it over, and lost it to the next who did',
		async (late) => {
			const takeOver = async ({ store }: ReturnType<typeof startProcess>) => {
				expect(await claim(store, 'key', 10_000)).toBe('uncertain');
				return await world.until(store.reclaim('key', 10_000, never));
			};
			await claim(startProcess().store, 'key');
			const [first, second, third] = [startProcess(), startProcess(), startProcess()];
			expect(await takeOver(first)).toBe('claimed');
			expect(await takeOver(second)).toBe('claimed');
			await world.until(first.store[late]('key'));
			const waiting = third.store.reclaim('key', 10_000, never);
			await world.until(second.store.markAccepted('key'));
			expect(await world.until(waiting)).toBe('alreadySent');
			expect(entries()).toEqual(ACCEPTED);
		},
	);
});

it('after a killed process, exactly what was in flight is uncertain', async () => {
	const { process, store } = startProcess();
	const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`);
	await world.until(
		Promise.all(keys.slice(0, 30).map(async (key) => await store.claim(key, 0, never))),
	);
	await world.until(
		Promise.all(keys.slice(0, 10).map(async (key) => await store.markAccepted(key))),
	);
	await world.until(Promise.all(keys.slice(10, 20).map(async (key) => await store.release(key))));
	process.kill();

	const next = startProcess().store;
	const claims = await world.until(
		Promise.all(keys.map(async (key) => await next.claim(key, 5_000, never))),
	);
	expect(claims).toEqual(
		keys.map((_, index) => {
			if (index < 10) return 'alreadySent';
			return index < 20 || index >= 30 ? 'claimed' : 'uncertain';
		}),
	);
});

describe('a full store', () => {
	const list = Array.from({ length: 100 }, (_, index) => `key ${index}`);
	const send = async (keys: string[], accepts = true) => {
		const { store } = startProcess();
		const claims: Record<string, number> = {};
		for (let start = 0; start < keys.length; start += 10) {
			const part = keys.slice(start, start + 10).map(async (key) => {
				const found = await store.claim(key, 0, never);
				claims[found] = (claims[found] ?? 0) + 1;
				if (found !== 'claimed') return;
				if (accepts) await store.markAccepted(key);
				else await store.markUncertain(key);
			});
			await world.until(Promise.all(part));
		}
		return { claims, pushedOut: store.pushedOut };
	};

	it('loses none of the keys that a second run of the same list needs', async () => {
		await send(Array.from({ length: 300 }, (_, index) => `older ${index}`));
		await send(list.slice(0, 60));
		await send(list.slice(60));
		expect(await send([...list].reverse())).toEqual({ claims: { alreadySent: 100 }, pushedOut: 0 });
	});

	it('keeps what is uncertain just as well', async () => {
		await send(list, false);
		expect(await send(list)).toEqual({ claims: { uncertain: 100 }, pushedOut: 0 });
	});

	it('pushes out the oldest, and says how many', async () => {
		await send(list);
		const { pushedOut } = await send(Array.from({ length: 150 }, (_, index) => `new ${index}`));
		expect(pushedOut).toBeGreaterThanOrEqual(50);
		expect(entries()).toContain('new 50');
		expect(entries()).not.toContain('key 0');
		expect(entries().length).toBeLessThanOrEqual(240);
	});
});

describe('the lock', () => {
	it('that a killed process has left is taken over, not sooner than after 45 seconds', async () => {
		await leaveLock();
		const claims = Promise.all(
			Array.from(
				{ length: 8 },
				async (_, index) => await startProcess().store.claim(`key ${index % 4}`, 90_000, never),
			),
		);
		await world.until(startProcess().process.clock.sleep(44_000));
		expect(entries()).toEqual([]);
		const found = await world.until(claims);
		expect(found.filter((each) => each === 'claimed')).toHaveLength(4);
		expect(database.overwritten).toEqual([]);
	});

	it("that was left holds up the sender's mark as well, so the wait for it doesn't count", async () => {
		const { clock } = startProcess().process;
		const sender = startProcess().store;
		await claim(sender, 'key');
		const other = startProcess().store.claim('key', 20_000, never);
		await world.until(clock.sleep(3_500));
		await leaveLock();
		// Later than the takeover: of many that waited for the lock, the sender is the last to get it.
		await world.until(clock.sleep(57_000));
		await world.until(sender.markAccepted('key'));
		expect(await world.until(other)).toBe('alreadySent');
	});

	it('of a holder that is slow and shows life is not taken over', async () => {
		const clock = startProcess().process.clock;
		const slow = async () => await clock.sleep(29_000);
		const { store: holder } = startProcess({
			broken: (real) => ({
				checkProcessedAndRecord: async (items, scope, options) => {
					if (scope === 'node') await slow();
					return await real.checkProcessedAndRecord(items, scope, options);
				},
				getProcessedDataCount: async (scope, options) => {
					if (scope === 'node') await slow();
					return await real.getProcessedDataCount(scope, options);
				},
			}),
		});
		const first = holder.claim('key', 0, never);
		await world.until(clock.sleep(1_000));
		const second = startProcess().store.claim('key', 0, never);
		expect(await world.until(first)).toBe('claimed');
		expect(await world.until(second)).toBe('uncertain');
		expect(world.now).toBeGreaterThan(55_000);
		expect(database.overwritten).toEqual([]);
	});

	it('of a process that paused for 10 seconds stays its own', async () => {
		const { process, store } = startProcess();
		const first = store.claim('key', 0, never);
		while (!isLocked()) await world.until(startProcess().process.clock.sleep(1));
		process.pause(10_000);
		const second = startProcess().store.claim('other', 0, never);
		expect(await world.until(first)).toBe('claimed');
		expect(await world.until(second)).toBe('claimed');
		expect(database.overwritten).toEqual([]);
	});

	it("that others hold for good rejects, and doesn't change the store", async () => {
		await leaveLock();
		const row = { ...database.rows.get('workflow')! };
		const beat = { isOver: false };
		const { process } = startProcess();
		void (async () => {
			for (let version = 0; !beat.isOver; version++) {
				database.rows.set('workflow', {
					...row,
					data: [...row.data, ...Array(version % 2).fill('beat')],
				});
				await process.clock.sleep(3_000);
			}
		})();
		const { store } = startProcess();
		const error = await settled(store.claim('key', 0, never));
		expect(String(error)).toContain("wasn't available for 120 seconds");
		expect(entries()).toEqual([]);
		beat.isOver = true;
	});

	it('is not waited for after the run is canceled', async () => {
		await leaveLock();
		let isCanceled = false;
		const waiting = startProcess().store.claim('key', 0, () => isCanceled);
		await world.until(startProcess().process.clock.sleep(3_000));
		isCanceled = true;
		expect(await world.until(waiting)).toBe('stopped');
		expect(world.now).toBeLessThan(5_000);
	});

	it.each(['entries', 'latestIncrementalKey', 'latestDate'])(
		'is not made of the row of another node (%s): the list is rejected, and the row stays as it is',
		async (mode) => {
			const row = { mode, data: ['theirs'], version: 1 };
			database.rows.set('workflow', row);
			const { store } = startProcess();
			const error = await settled(store.prepare(never));
			expect(error).toMatchObject({
				failure: {
					title: expect.stringContaining('a Remove Duplicates node') as string,
					description: expect.stringContaining("set 'Scope' to 'Node'") as string,
				},
			});
			expect(String(await settled(store.claim('key', 0, never)))).toContain('Remove Duplicates');
			expect(database.rows.get('workflow')).toBe(row);
			expect(entries()).toEqual([]);
			expect(INCOMPATIBLE).toContain('incompatible setting');
		},
	);
});

describe('a database', () => {
	it('that is gone for 10 seconds holds a claim up', async () => {
		database.isGone = true;
		const waiting = startProcess().store.claim('key', 0, never);
		world.at(10_000, () => (database.isGone = false));
		expect(await world.until(waiting)).toBe('claimed');
	});

	it('that is gone for good rejects it', async () => {
		database.isGone = true;
		const error = await settled(startProcess().store.claim('key', 0, never));
		expect(String(error)).toContain('Connection terminated unexpectedly');
		expect(world.now).toBeLessThan(200_000);
	});

	it.each(['checkProcessedAndRecord', 'getProcessedDataCount', 'clearAllProcessedItems'] as const)(
		'that never answers (%s) ends every claim',
		async (method) => {
			const hang = async () => await new Promise<never>(() => {});
			const { store } = startProcess({ broken: () => ({ [method]: hang }) });
			const claims = ['one', 'two'].map(async (key) => await settled(store.claim(key, 0, never)));
			for (const found of await Promise.all(claims)) {
				if (method === 'clearAllProcessedItems') expect(found).toBe('claimed');
				else expect(String(found)).toContain('KeyStoreError');
			}
			expect(world.now).toBeLessThan(400_000);
		},
	);

	it('that fails when a message was accepted is asked again until it is written', async () => {
		const { process, store } = startProcess();
		await claim(store, 'key');
		database.isGone = true;
		const marked = store.markAccepted('key');
		await world.until(process.clock.sleep(30_000));
		database.isGone = false;
		await world.until(marked);
		expect(entries()).toEqual(ACCEPTED);
	});
});

describe('opening', () => {
	const context = (id?: string) =>
		({ getWorkflow: () => ({ id }), helpers: {} }) as IExecuteFunctions;

	it('needs a saved workflow', () => {
		expect(() => openKeyStore(context(), 1)).toThrow("'Send Once Key' needs a saved workflow");
	});

	it('rejects more keys than the store keeps', () => {
		expect(() => openKeyStore(context('id'), 20_001)).toThrow('20001 items');
		expect(openKeyStore(context('id'), 20_000).pushedOut).toBe(0);
	});
});
