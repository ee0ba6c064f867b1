import type { Clock } from './clock';
import type { KeyEntry, Found, Key, KeyAction } from './keyStates';
import { ADDED, ENTRIES_PER_KEY, interpret, written } from './keyStates';
import { asKeyStoreError, KeyStoreError } from './keyStoreError';
import { withMutex } from './mutex';
import { type CallStore, type Store, LOCK_WAIT_MS, StoreLock } from './storeLock';

/** How long an action may take in total before it is given up: the wait for its turn and for the lock, and its work. */
const ACTION_MS = LOCK_WAIT_MS + 60_000;
/** How often those that wait are asked whether they still want to. */
const POLL_MS = 200;
const TOO_LATE = `n8n's key store wasn't available for ${ACTION_MS / 1000} seconds`;
const RETRY_MS = 1_000;

const KEYS = { mode: 'entries' } as const;
/** In one call: n8n searches all entries for each one, 1.6 ms in a full store, and does nothing else meanwhile. */
const MAX_REMOVED = 15;
/** Counting reads all entries of the node: it's done after the first claim, and again after this share of the kept keys. */
const TRIM_AFTER = 1 / 40;
/** Room for the entries that killed processes leave. */
const MOST_ENTRIES_PER_KEY = ENTRIES_PER_KEY + 0.2;

/** An action that waits for its turn. */
interface QueuedAction {
	action: KeyAction;
	key: Key;
	giveUpAt: number;
	shouldStop?(): boolean;
	/** Without an answer for those that only change something. */
	resolve(found?: Found | 'stopped'): void;
	reject(error: KeyStoreError): void;
}

/** A queued action whose entries are added, and some of them have to go again. */
interface Change {
	queued: QueuedAction;
	found?: Found;
	removed: string[];
}

/** Within this process, one change of a node's entries waits for the one before. */
const THIS_PROCESS = {};

/**
 * Does what is asked for while others are at work together, under a lock: the store reads, changes and writes all
 * entries of a node at once.
 */
export class KeyQueue {
	private readonly waiting = new Set<QueuedAction>();
	private readonly lock: StoreLock;
	/** Since when this execution holds a key. */
	private readonly heldSince = new Map<string, number>();
	private isScheduled = false;
	private isWatched = false;
	/** Large enough at first that the first claim trims. */
	private claimsSinceTrim: number;
	pushedOut = 0;

	/**
	 * @param mutexName one name for all that change the same entries in this process
	 * @param keptKeys how many of the newest keys are kept at least
	 * @param holdMs for how long others wait for a key, in milliseconds: later, it isn't released any more
	 */
	constructor(
		private readonly store: Store,
		private readonly clock: Clock,
		private readonly mutexName: string,
		private readonly keptKeys: number,
		private readonly holdMs: number,
	) {
		this.lock = new StoreLock(store, clock);
		this.claimsSinceTrim = keptKeys;
	}

	/** @throws KeyStoreError */
	async add(
		action: KeyAction,
		key: Key,
		shouldStop?: () => boolean,
	): Promise<Found | 'stopped' | undefined> {
		const giveUpAt = this.clock.now() + ACTION_MS;
		return await new Promise((resolve, reject) =>
			this.wait({ action, key, giveUpAt, shouldStop, resolve, reject }),
		);
	}

	private wait(queued: QueuedAction): void {
		this.waiting.add(queued);
		this.schedule();
		if (!this.isWatched) void this.watch();
	}

	private schedule(): void {
		if (this.isScheduled) return;
		this.isScheduled = true;
		void withMutex(THIS_PROCESS, this.mutexName, async () => await this.flush());
	}

	/** Those that wait for their turn may give up. */
	private async watch(): Promise<void> {
		this.isWatched = true;
		while (this.waiting.size > 0) {
			await this.clock.sleep(POLL_MS);
			for (const queued of this.waiting) this.mayGiveUp(queued);
		}
		this.isWatched = false;
	}

	private mayGiveUp(queued: QueuedAction): boolean {
		if (queued.shouldStop?.()) queued.resolve('stopped');
		else if (this.clock.now() >= queued.giveUpAt) queued.reject(new KeyStoreError(TOO_LATE));
		else return false;
		this.waiting.delete(queued);
		return true;
	}

	private async flush(): Promise<void> {
		// Without the lock nothing is begun, and all that wait for it fail with the same words.
		let batch: Iterable<QueuedAction> = this.waiting;
		try {
			const work = async (callStore: CallStore) => {
				const taken = this.takeBatch();
				batch = taken;
				await this.apply(taken, callStore);
			};
			await this.lock.hold(work, () => this.waiting.size > 0);
		} catch (error) {
			for (const queued of batch) {
				this.waiting.delete(queued);
				queued.reject(asKeyStoreError(error));
			}
		}
		this.isScheduled = false;
		// Some came too late for the lock, or wait for a key that was part of the batch.
		if (this.waiting.size > 0) this.schedule();
	}

	/** Everything that waits, but one action for each key: the next one depends on what becomes of the first. */
	private takeBatch(): QueuedAction[] {
		const batch = new Map<string, QueuedAction>();
		for (const queued of this.waiting) {
			if (batch.has(queued.key.name) || this.mayGiveUp(queued)) continue;
			batch.set(queued.key.name, queued);
			this.waiting.delete(queued);
		}
		return [...batch.values()];
	}

	/** Adds what may be new in one call, and removes what has to go. */
	private async apply(batch: QueuedAction[], callStore: CallStore): Promise<void> {
		const begun = this.clock.now();
		for (const queued of batch) this.releaseInTime(queued, begun);
		let fresh: Set<unknown>;
		try {
			fresh = await this.addEntries(batch, callStore);
		} catch (error) {
			for (const queued of batch) this.fail(queued, error);
			return;
		}
		const changes: Change[] = [];
		let claims = 0;
		for (const queued of batch) {
			const isNew = (entry: KeyEntry) => fresh.has(written(entry, queued.key));
			const { found, removed } = interpret(queued.action, isNew);
			if (found === 'claimed') {
				this.heldSince.set(queued.key.name, begun);
				claims++;
			}
			if (removed.length === 0) queued.resolve(found);
			else
				changes.push({
					queued,
					found,
					removed: removed.map((entry) => written(entry, queued.key)),
				});
		}
		await this.remove(changes, callStore);
		this.claimsSinceTrim += claims;
		if (claims > 0 && this.claimsSinceTrim > this.keptKeys * TRIM_AFTER) await this.trim(callStore);
	}

	/** Others may have stopped waiting for a key that was held for too long, and have called it uncertain. */
	private releaseInTime(queued: QueuedAction, now: number): void {
		const since = this.heldSince.get(queued.key.name) ?? -Infinity;
		if (queued.action !== 'release' || now - since <= this.holdMs) return;
		queued.action = 'markUncertain';
		queued.reject(new KeyStoreError('it was held for longer than its request may take'));
	}

	/** @returns which of the entries are new */
	private async addEntries(batch: QueuedAction[], callStore: CallStore): Promise<Set<unknown>> {
		const entries = batch.flatMap(({ action, key }) =>
			ADDED[action].map((entry) => written(entry, key)),
		);
		if (entries.length === 0) return new Set();
		const add = async () => await this.store.checkProcessedAndRecord(entries, 'node', KEYS);
		return new Set((await callStore(add)).new);
	}

	/** A few entries at a time, each key's together, each call with its turn of the event loop. */
	private async remove(changes: Change[], callStore: CallStore): Promise<void> {
		while (changes.length > 0) {
			const some: Change[] = [];
			const entries: string[] = [];
			while (changes.length > 0 && entries.length + changes[0].removed.length <= MAX_REMOVED) {
				entries.push(...changes[0].removed);
				some.push(changes.shift()!);
			}
			const remove = async () =>
				await callStore(async () => await this.store.removeProcessed(entries, 'node', KEYS));
			try {
				// What was added only to look must not stay.
				await remove().catch(remove);
				for (const { queued, found } of some) queued.resolve(found);
			} catch (error) {
				for (const { queued } of some) this.fail(queued, error);
			}
			await this.clock.sleep(0);
		}
	}

	/** Only what has the same result when it is done twice is tried again: a key that was released may be another's. */
	private fail(queued: QueuedAction, error: unknown): void {
		if (queued.action === 'accept' && this.clock.now() + RETRY_MS < queued.giveUpAt) {
			void this.clock.sleep(RETRY_MS).then(() => this.wait(queued));
		} else {
			queued.reject(asKeyStoreError(error));
		}
	}

	private async trim(callStore: CallStore): Promise<void> {
		const maxEntries = Math.round(this.keptKeys * MOST_ENTRIES_PER_KEY);
		try {
			const count = await callStore(
				async () => await this.store.getProcessedDataCount('node', KEYS),
			);
			if (count > maxEntries) {
				const options = { ...KEYS, maxEntries };
				await callStore(async () => await this.store.checkProcessedAndRecord([], 'node', options));
				this.pushedOut += Math.ceil((count - maxEntries) / ENTRIES_PER_KEY);
			}
			this.claimsSinceTrim = 0;
		} catch {
			// The next claim tries again.
		}
	}
}
