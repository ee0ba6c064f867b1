import type { IExecuteFunctions } from 'n8n-workflow';

import { type Clock, systemClock } from '../../common/clock';
import { errorMessage } from '../../common/errorMessage';
import { withMutex } from '../../common/mutex';
import { type ErrorText, twoLines } from '../../common/twoLines';
import type { Memory } from '../memory';
import { type Message, type PlannedItem, messagesToSend, ownKey } from '../message';
import { misconfigured } from '../runRejected';
import { type Found, type KeyAction, ENTRIES_PER_KEY, entriesAdded, interpret } from './keyStates';
import { type CallStore, type Store, ForeignRow, StoreLock } from './storeLock';

/** So many of a node's newest keys are kept at least. A run may have no more than that. */
export const KEPT_KEYS = 20_000;
/** How much longer than its request a key is held: for the store's calls around it. */
const HOLD_MARGIN_MS = 10_000;
/** How often a key that's in flight elsewhere is looked at: at first, and later. */
const LOOK_MS = 200;
const LOOK_LATER_MS = 2_000;
const OFTEN_MS = 3_000;
/** How long an action waits in total, for its turn and for the lock: more than two takeovers of the lock. */
const WAIT_MS = 120_000;
/** How often those that wait are asked whether they still want to. */
const POLL_MS = 200;
const RETRY_MS = 1_000;

const KEYS = { mode: 'entries' } as const;
/** So many entries are removed in one call at most: n8n searches all entries for each one, 1.6 ms in a full store. */
const REMOVED_AT_ONCE = 15;
/** Counting reads all entries of the node: it's done after the first claim, and again after this share of the kept keys. */
const TRIM_AFTER = 1 / 40;
/** Room for the entries that killed processes leave. */
const MOST_ENTRIES_PER_KEY = ENTRIES_PER_KEY + 0.2;

export type Claim = 'claimed' | 'alreadySent' | 'uncertain' | 'stopped';

interface QueuedAction {
	action: KeyAction;
	/** Empty for what is asked of the store itself. */
	key: string;
	giveUpAt: number;
	shouldStop(): boolean;
	resolve(found?: Found | 'stopped'): void;
	reject(error: unknown): void;
}

/**
 * The send-once keys of a node, across executions and processes. A key is held for one request only. What is asked for
 * while others are at work is done together, under a lock: the store reads, changes and writes all entries of a node at
 * once. Nothing here hangs: every wait is bounded, the wait for a store that never answers included.
 */
export class KeyStore {
	/** How many older keys were pushed out of the store by new ones during this run. */
	pushedOut = 0;
	private readonly lock: StoreLock;
	private readonly waiting = new Set<QueuedAction>();
	private isWatched = false;
	/** When this execution claimed a key. */
	private readonly claimedAt = new Map<string, number>();
	/** Older keys are pushed out next when this execution has claimed so many. */
	private trimAt = 1;

	/**
	 * @param mutexName one name for all that change the same entries in this process
	 * @param holdMs how long a key may be held; others wait for it that long, and later it isn't released
	 */
	constructor(
		private readonly store: Store,
		private readonly clock: Clock,
		private readonly mutexName: string,
		private readonly keptKeys: number,
		private readonly holdMs: number,
	) {
		this.lock = new StoreLock(store, clock);
	}

	/** Makes sure, before anything is sent, that keys can be claimed at all. @throws RunRejected when they can't */
	async prepare(shouldStop: () => boolean): Promise<void> {
		try {
			await this.act('prepare', '', shouldStop);
		} catch (error) {
			const isForeign = error instanceof ForeignRow;
			throw misconfigured(twoLines`What was sent before couldn't be checked: ${errorMessage(error)}
				${isForeign ? error.fix : "Check n8n's database, then run the workflow again"}`);
		}
	}

	/**
	 * Claims a key. One that another execution holds is waited for; released meanwhile, it is claimed.
	 * @param mostMs how long to wait at most. The looks don't count: the holder of the key waits for the lock, too
	 * @returns `uncertain`: an earlier execution left it so, or still holds it after the wait. `stopped`: by shouldStop()
	 * @throws when it couldn't be checked (no lock, database error): nothing may be sent then
	 */
	async claim(key: string, shouldStop: () => boolean, mostMs = Infinity): Promise<Claim> {
		const waitMs = Math.min(mostMs, this.holdMs);
		let waited = 0;
		// Most keys are free, so that is asked first: it leaves nothing to remove.
		let found = await this.act('claim', key, shouldStop);
		while (found === 'inFlight') {
			found = await this.act('look', key, shouldStop);
			if (found !== 'inFlight') break;
			if (waited >= waitMs) return 'uncertain';
			const step = waited < OFTEN_MS ? LOOK_MS : LOOK_LATER_MS;
			const looked = this.clock.now();
			// All that wait look at the same moments, and so together.
			await this.clock.sleep(step - (looked % step));
			waited += this.clock.now() - looked;
		}
		return found!;
	}

	/** Writes what became of the message. @throws if that wasn't possible, or the key to release was held for too long */
	async end(how: 'accept' | 'markUncertain' | 'release', key: string): Promise<void> {
		await this.act(how, key);
	}

	private async act(action: KeyAction, key: string, shouldStop = () => false) {
		const giveUpAt = this.clock.now() + WAIT_MS;
		return await new Promise<Found | 'stopped' | undefined>((resolve, reject) =>
			this.wait({ action, key, giveUpAt, shouldStop, resolve, reject }),
		);
	}

	/** Within this process, one change of a node's entries waits for the one before, and then does whatever can be done. */
	private wait(queued: QueuedAction): void {
		this.waiting.add(queued);
		void withMutex(KeyStore, this.mutexName, async () => await this.takeTurn());
		if (!this.isWatched) void this.watch();
	}

	private async watch(): Promise<void> {
		this.isWatched = true;
		while (this.waiting.size > 0) {
			await this.clock.sleep(POLL_MS);
			for (const queued of this.waiting) this.mayGiveUp(queued);
		}
		this.isWatched = false;
	}

	private mayGiveUp(queued: QueuedAction): boolean {
		const why = this.lock.problem && `: ${this.lock.problem}`;
		const late = `n8n's key store wasn't available for ${WAIT_MS / 1000} seconds${why}`;
		if (queued.shouldStop()) queued.resolve('stopped');
		else if (this.clock.now() >= queued.giveUpAt) queued.reject(new Error(late));
		else return false;
		return this.waiting.delete(queued);
	}

	private async takeTurn(): Promise<void> {
		// In place of another node's row there is no lock: nothing is begun, and all that wait for it fail.
		let failing: Iterable<QueuedAction> = this.waiting;
		const work = async (callStore: CallStore) => {
			const batch = this.takeBatch();
			failing = batch;
			await this.apply(batch, callStore);
		};
		try {
			await this.lock.hold(work, () => this.waiting.size > 0);
		} catch (error) {
			for (const queued of failing) {
				this.waiting.delete(queued);
				// Only what has the same result when it is done twice is tried again: a key that was released may be another's.
				const isRepeated = queued.action === 'accept';
				if (isRepeated && this.clock.now() + RETRY_MS < queued.giveUpAt) {
					void this.clock.sleep(RETRY_MS).then(() => this.wait(queued));
				} else queued.reject(error);
			}
		}
	}

	/** Everything that waits, but one action for each key: the next one depends on what becomes of the first. */
	private takeBatch(): QueuedAction[] {
		const batch = new Map<string, QueuedAction>();
		for (const queued of this.waiting) {
			if (batch.has(queued.key) || this.mayGiveUp(queued)) continue;
			batch.set(queued.key, this.isLateRelease(queued) ? markedInstead(queued) : queued);
			this.waiting.delete(queued);
		}
		return [...batch.values()];
	}

	/** Others may have stopped waiting for a key that was held for too long, and have called it uncertain. */
	private isLateRelease({ action, key }: QueuedAction): boolean {
		const claimedAt = this.claimedAt.get(key) ?? -Infinity;
		return action === 'release' && this.clock.now() - claimedAt > this.holdMs;
	}

	/** Adds what may be new in one call, judges by what was, and removes what has to go. */
	private async apply(batch: QueuedAction[], callStore: CallStore): Promise<void> {
		const begun = this.clock.now();
		const entries = batch.flatMap(({ action, key }) => entriesAdded(action, key));
		const add = async () => await this.store.checkProcessedAndRecord(entries, 'node', KEYS);
		const fresh = new Set<unknown>(entries.length > 0 ? (await callStore(add)).new : []);
		const judged = batch.map((queued) => {
			const { found, removed } = interpret(queued.action, queued.key, fresh);
			return { queued, found, removed };
		});

		const groups: Array<typeof judged> = [];
		let size = REMOVED_AT_ONCE;
		for (const each of judged) {
			const { queued, found, removed } = each;
			if (found === 'claimed') this.claimedAt.set(queued.key, begun);
			size += removed.length;
			if (removed.length === 0) {
				queued.resolve(found);
			} else if (size > REMOVED_AT_ONCE) {
				groups.push([each]);
				size = removed.length;
			} else {
				groups.at(-1)!.push(each);
			}
		}
		for (const group of groups) {
			try {
				await this.remove(
					group.flatMap(({ removed }) => removed),
					callStore,
				);
				for (const { queued, found } of group) queued.resolve(found);
			} catch (error) {
				for (const { queued } of group) queued.reject(error);
			}
			// n8n has a turn of the event loop.
			await this.clock.sleep(0);
		}
		// What can't be trimmed now is trimmed in the next turn.
		if (this.claimedAt.size >= this.trimAt) await this.trim(callStore).catch(() => {});
	}

	/** What was added only to look must not stay: it's tried twice. */
	private async remove(entries: string[], callStore: CallStore): Promise<void> {
		const call = async () =>
			await callStore(async () => await this.store.removeProcessed(entries, 'node', KEYS));
		try {
			await call();
		} catch {
			await call();
		}
	}

	private async trim(callStore: CallStore): Promise<void> {
		const maxEntries = Math.round(this.keptKeys * MOST_ENTRIES_PER_KEY);
		const count = await callStore(async () => await this.store.getProcessedDataCount('node', KEYS));
		if (count > maxEntries) {
			const options = { ...KEYS, maxEntries };
			await callStore(async () => await this.store.checkProcessedAndRecord([], 'node', options));
			this.pushedOut += Math.ceil((count - maxEntries) / ENTRIES_PER_KEY);
		}
		this.trimAt = this.claimedAt.size + this.keptKeys * TRIM_AFTER;
	}
}

/** A release that comes too late: the key is left uncertain, and whoever wanted it released is told. */
const markedInstead = (release: QueuedAction): QueuedAction => ({
	...release,
	action: 'markUncertain',
	resolve: () => release.reject(new Error('it was held for longer than its request may take')),
});

/** The items that an earlier try settled, and whose keys have to say so. */
export const settledWithKey = (items: PlannedItem[], memory: Memory) =>
	items.flatMap(({ message, outcome }) => {
		const isSettled = message && outcome && memory.get(message) !== undefined;
		return isSettled && ownKey(message) !== undefined ? [{ message, outcome }] : [];
	});

/** The store for these items' keys, if they have any. @throws RunRejected without a saved workflow, and for more than it keeps */
export function openKeyStore(
	context: IExecuteFunctions,
	items: PlannedItem[],
	memory: Memory,
	timeoutMs: number,
): KeyStore | undefined {
	const messages = messagesToSend(items);
	const claimed = messages.reduce((sum, message) => sum + memory.keysOf(message).length, 0);
	const count = claimed + settledWithKey(items, memory).length;
	if (count === 0) return undefined;
	const { id: workflowId } = context.getWorkflow();
	if (!workflowId)
		throw misconfigured(twoLines`'Send Once Key' needs a saved workflow
			n8n keeps the keys under the ID of the workflow, and this workflow has none yet. Save the workflow, then run it again`);
	if (count > KEPT_KEYS) throw misconfigured(tooManyKeys(messages, claimed / messages.length));
	const holdMs = timeoutMs + HOLD_MARGIN_MS;
	return new KeyStore(context.helpers, systemClock, workflowId, KEPT_KEYS, holdMs);
}

/** In a retry, each message has a key for itself, next to the user's. */
function tooManyKeys(messages: Message[], keysEach: number): ErrorText {
	const most = Math.floor(KEPT_KEYS / keysEach);
	const isRetry = keysEach > 1 || messages[0].sendOnceKey === undefined;
	return isRetry
		? twoLines`This retry has ${messages.length} messages, more than the ${most} that one retry can keep from being sent twice
			Run the workflow again with only the items that weren't accepted`
		: twoLines`${messages.length} items have a 'Send Once Key', more than the ${most} that this step may have
			Split the list into several executions of at most ${most} items each`;
}
