import type { IExecuteFunctions } from 'n8n-workflow';

import { type Clock, systemClock } from '../../common/clock';
import { errorMessage } from '../../common/errorMessage';
import { withMutex } from '../../common/mutex';
import { twoLines } from '../../common/twoLines';
import type { Memory } from '../memory';
import type { Message } from '../message';
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
/** Of so many keys entries are removed in one call: n8n searches all entries for each one, 1.6 ms in a full store. */
const REMOVED_AT_ONCE = 5;
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
	/** Since when this execution holds a key. */
	private readonly heldSince = new Map<string, number>();
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
			batch.set(queued.key, queued);
			this.waiting.delete(queued);
		}
		return [...batch.values()];
	}

	/** Adds what may be new in one call, judges by what was, and removes what has to go. */
	private async apply(batch: QueuedAction[], callStore: CallStore): Promise<void> {
		const begun = this.clock.now();
		for (const queued of batch) {
			const since = this.heldSince.get(queued.key) ?? -Infinity;
			if (queued.action !== 'release' || begun - since <= this.holdMs) continue;
			// Others may have stopped waiting for the key, and have called it uncertain.
			queued.action = 'markUncertain';
			queued.reject(new Error('it was held for longer than its request may take'));
		}
		const entries = batch.flatMap(({ action, key }) => entriesAdded(action, key));
		const add = async () => await this.store.checkProcessedAndRecord(entries, 'node', KEYS);
		const fresh = new Set<unknown>(entries.length > 0 ? (await callStore(add)).new : []);
		const judged = batch.map((each) => ({ ...each, ...interpret(each.action, each.key, fresh) }));
		for (const { found, key, removed, resolve } of judged) {
			if (found === 'claimed') this.heldSince.set(key, begun);
			if (removed.length === 0) resolve(found);
		}
		const removals = judged.filter(({ removed }) => removed.length > 0);
		while (removals.length > 0) {
			const some = removals.splice(0, REMOVED_AT_ONCE);
			const gone = some.flatMap(({ removed }) => removed);
			const remove = async () =>
				await callStore(async () => await this.store.removeProcessed(gone, 'node', KEYS));
			// What was added only to look must not stay: it's tried twice.
			await remove()
				.catch(remove)
				.then(
					() => some.forEach(({ found, resolve }) => resolve(found)),
					(error: unknown) => some.forEach(({ reject }) => reject(error)),
				);
			// n8n has a turn of the event loop.
			await this.clock.sleep(0);
		}
		// What can't be trimmed now is trimmed in the next turn.
		if (this.heldSince.size >= this.trimAt) await this.trim(callStore).catch(() => {});
	}

	private async trim(callStore: CallStore): Promise<void> {
		const maxEntries = Math.round(this.keptKeys * MOST_ENTRIES_PER_KEY);
		const count = await callStore(async () => await this.store.getProcessedDataCount('node', KEYS));
		if (count > maxEntries) {
			const options = { ...KEYS, maxEntries };
			await callStore(async () => await this.store.checkProcessedAndRecord([], 'node', options));
			this.pushedOut += Math.ceil((count - maxEntries) / ENTRIES_PER_KEY);
		}
		this.trimAt = this.heldSince.size + this.keptKeys * TRIM_AFTER;
	}
}

/** The store for these messages' keys, if they have any. @throws RunRejected without a saved workflow, and for more than it keeps */
export function openKeyStore(
	context: IExecuteFunctions,
	messages: Message[],
	memory: Pick<Memory, 'keysOf'>,
	timeoutMs: number,
): KeyStore | undefined {
	// Either all messages have keys, or none has. In a retry, each has one for itself, next to the user's.
	const keysEach = messages.length > 0 ? memory.keysOf(messages[0]).length : 0;
	if (keysEach === 0) return undefined;
	const { id: workflowId } = context.getWorkflow();
	if (!workflowId)
		throw misconfigured(twoLines`'Send Once Key' needs a saved workflow
			n8n keeps the keys under the ID of the workflow, and this workflow has none yet. Save the workflow, then run it again`);
	const [{ sendOnceKey }] = messages;
	const most = KEPT_KEYS / keysEach;
	if (messages.length > most && (sendOnceKey === undefined || keysEach > 1))
		throw misconfigured(twoLines`This retry has ${messages.length} messages, more than the ${most} that one retry can keep from being sent twice
			Run the workflow again with only the items that weren't accepted`);
	if (messages.length > most)
		throw misconfigured(twoLines`${messages.length} items have a 'Send Once Key', more than the ${most} that this step may have
			Split the list into several executions of at most ${most} items each`);
	const holdMs = timeoutMs + HOLD_MARGIN_MS;
	return new KeyStore(context.helpers, systemClock, workflowId, KEPT_KEYS, holdMs);
}
