import type { Clock } from './clock';
import type { Found, Key, Operation } from './keyStates';
import { ADDED, ENTRIES_PER_KEY, interpret, written } from './keyStates';
import { asKeyStoreError, KeyStoreError } from './keyStoreError';
import type { Lines } from './mutex';
import { withMutex } from './mutex';
import type { HeldLock, Store } from './storeLock';
import { LOCK_WAIT_MS, StoreLock } from './storeLock';

/** How long an operation may take in total before it is given up: the wait for its turn and for the lock, and its work. */
const OPERATION_MS = LOCK_WAIT_MS + 60_000;
/** How often those that wait are asked whether they still want to. */
const POLL_MS = 200;
const RETRY_MS = 1_000;

const KEYS = { mode: 'entries' } as const;
/** In one call: n8n searches all entries for each one, 1.6 ms in a full store, and does nothing else meanwhile. */
const MAX_REMOVED = 15;
/** Counting reads all entries of the node: it's done after the first claim, and again after this share of the kept keys. */
const TRIM_AFTER = 1 / 40;
/** Room for the entries that killed processes leave. */
const MOST_ENTRIES_PER_KEY = ENTRIES_PER_KEY + 0.2;

interface Wish {
	/** Missing when nothing but the lock is asked for. */
	operation?: Operation;
	key: Key;
	giveUpAt: number;
	shouldStop?(): boolean;
	/** Without an answer for those that only change something. */
	resolve(found?: Found | 'stopped'): void;
	reject(error: KeyStoreError): void;
}

/** Within this process, one change of a node's entries waits for the one before. */
const lines: Lines = new Map();

/**
 * Does what is asked for while others are at work together, under a lock: the store reads, changes and writes all
 * entries of a node at once.
 */
export class KeyQueue {
	private readonly waiting = new Set<Wish>();
	private readonly lock: StoreLock;
	/** Since when this execution holds a key. */
	private readonly heldSince = new Map<string, number>();
	private isScheduled = false;
	private isWatched = false;
	/** More than TRIM_AFTER at first: the first claim trims. */
	private claimsSinceTrim: number;
	pushedOut = 0;

	/**
	 * @param line one name for all that change the same entries in this process
	 * @param keptKeys how many of the newest keys are kept at least
	 * @param holdMs for how long others wait for a key, in milliseconds: later, it isn't released any more
	 */
	constructor(
		private readonly store: Store,
		private readonly clock: Clock,
		private readonly line: string,
		private readonly keptKeys: number,
		private readonly holdMs: number,
	) {
		this.lock = new StoreLock(store, clock);
		this.claimsSinceTrim = keptKeys;
	}

	/** Waits for the lock, and does nothing else. @throws KeyStoreError */
	async reachLock(shouldStop: () => boolean): Promise<void> {
		await this.enqueue({ key: { name: '', owner: '' }, shouldStop });
	}

	/** @throws KeyStoreError */
	async add(
		operation: Operation,
		key: Key,
		shouldStop?: () => boolean,
	): Promise<Found | 'stopped' | undefined> {
		return await this.enqueue({ operation, key, shouldStop });
	}

	private async enqueue(wish: Pick<Wish, 'operation' | 'key' | 'shouldStop'>) {
		return await new Promise<Found | 'stopped' | undefined>((resolve, reject) => {
			const giveUpAt = this.clock.now() + OPERATION_MS;
			this.wait({ ...wish, giveUpAt, resolve, reject });
		});
	}

	private wait(wish: Wish): void {
		this.waiting.add(wish);
		this.schedule();
		if (!this.isWatched) void this.watch();
	}

	private schedule(): void {
		if (this.isScheduled) return;
		this.isScheduled = true;
		void withMutex(lines, this.line, async () => await this.flush());
	}

	/** Those that wait for their turn may give up. */
	private async watch(): Promise<void> {
		this.isWatched = true;
		while (this.waiting.size > 0) {
			await this.clock.sleep(POLL_MS);
			for (const wish of this.waiting) this.mayGiveUp(wish);
		}
		this.isWatched = false;
	}

	private mayGiveUp(wish: Wish): boolean {
		if (wish.shouldStop?.()) wish.resolve('stopped');
		else if (this.clock.now() >= wish.giveUpAt) wish.reject(tooLate());
		else return false;
		this.waiting.delete(wish);
		return true;
	}

	private async flush(): Promise<void> {
		let batch: Wish[] | undefined;
		try {
			const work = async (lock: HeldLock) => {
				batch = this.takeBatch();
				this.isScheduled = false;
				await this.apply(batch, lock);
			};
			await this.lock.hold(work, () => this.waiting.size > 0);
		} catch (error) {
			// Without the lock nothing was begun, and all that waited for it fail with the same words.
			for (const wish of batch ?? this.waiting) {
				this.waiting.delete(wish);
				wish.reject(asKeyStoreError(error));
			}
		}
		if (batch === undefined) this.isScheduled = false;
		// Some came too late for the lock, or wait for a key that was part of the batch.
		if (this.waiting.size > 0) this.schedule();
	}

	/** Everything that waits, but one wish for each key: the next one depends on what becomes of the first. */
	private takeBatch(): Wish[] {
		const batch = new Map<string, Wish>();
		for (const wish of this.waiting) {
			if (batch.has(wish.key.name) || this.mayGiveUp(wish)) continue;
			batch.set(wish.key.name, wish);
			this.waiting.delete(wish);
		}
		return [...batch.values()];
	}

	/** Adds what may be new in one call, and removes what has to go. */
	private async apply(batch: Wish[], lock: HeldLock): Promise<void> {
		const begun = this.clock.now();
		const works = batch.map((wish) => ({ wish, operation: this.inTime(wish, begun) }));
		const added = works.flatMap(({ wish, operation }) =>
			operation ? ADDED[operation].map((entry) => written(entry, wish.key)) : [],
		);
		let fresh = new Set<unknown>();
		try {
			if (added.length > 0) {
				const check = async () => await this.store.checkProcessedAndRecord(added, 'node', KEYS);
				fresh = new Set((await lock.run(check)).new);
			}
		} catch (error) {
			for (const wish of batch) this.fail(wish, error);
			return;
		}
		let claims = 0;
		const changes = works.map(({ wish, operation }) => {
			const isNew = (entry: Parameters<typeof written>[0]) => fresh.has(written(entry, wish.key));
			const { found, removed } = operation ? interpret(operation, isNew) : { removed: [] };
			if (operation !== 'claim' && operation !== 'look') this.heldSince.delete(wish.key.name);
			if (found === 'claimed') {
				this.heldSince.set(wish.key.name, begun);
				claims++;
			}
			const isLate = wish.operation === 'release' && operation !== 'release';
			const end = () => (isLate ? wish.reject(heldTooLong()) : wish.resolve(found));
			return { wish, end, removed: removed.map((entry) => written(entry, wish.key)) };
		});
		for (const { end, removed } of changes) if (removed.length === 0) end();
		await this.remove(
			changes.filter(({ removed }) => removed.length > 0),
			lock,
		);
		this.claimsSinceTrim += claims;
		if (claims > 0 && this.claimsSinceTrim > this.keptKeys * TRIM_AFTER) await this.trim(lock);
	}

	/** Others may have stopped waiting for a key that was held for too long, and have called it uncertain. */
	private inTime({ operation, key }: Wish, now: number): Operation | undefined {
		if (operation !== 'release') return operation;
		const heldMs = now - (this.heldSince.get(key.name) ?? -Infinity);
		return heldMs > this.holdMs ? 'markUncertain' : operation;
	}

	/** A few entries at a time, each key.s together, each call with its turn of the event loop. */
	private async remove(
		changes: Array<{ wish: Wish; end(): void; removed: string[] }>,
		lock: HeldLock,
	): Promise<void> {
		const left = [...changes];
		while (left.length > 0) {
			const entries: string[] = [];
			const some: typeof left = [];
			while (left.length > 0 && entries.length + left[0].removed.length <= MAX_REMOVED) {
				entries.push(...left[0].removed);
				some.push(left.shift()!);
			}
			const remove = async () =>
				await lock.run(async () => await this.store.removeProcessed(entries, 'node', KEYS));
			try {
				// What was added only to look must not stay.
				await remove().catch(remove);
				for (const { end } of some) end();
			} catch (error) {
				for (const { wish } of some) this.fail(wish, error);
			}
			await this.clock.sleep(0);
		}
	}

	/** Only what has the same result when it is done twice is tried again: a key that was released may be another's. */
	private fail(wish: Wish, error: unknown): void {
		if (wish.operation === 'accept' && this.clock.now() + RETRY_MS < wish.giveUpAt) {
			void this.clock.sleep(RETRY_MS).then(() => this.wait(wish));
		} else {
			wish.reject(asKeyStoreError(error));
		}
	}

	private async trim(lock: HeldLock): Promise<void> {
		const maxEntries = Math.round(this.keptKeys * MOST_ENTRIES_PER_KEY);
		try {
			const count = await lock.run(
				async () => await this.store.getProcessedDataCount('node', KEYS),
			);
			if (count > maxEntries) {
				const options = { ...KEYS, maxEntries };
				await lock.run(async () => await this.store.checkProcessedAndRecord([], 'node', options));
				this.pushedOut += Math.ceil((count - maxEntries) / ENTRIES_PER_KEY);
			}
			this.claimsSinceTrim = 0;
		} catch {
			// The next claim tries again.
		}
	}
}

function tooLate(): KeyStoreError {
	return new KeyStoreError(`n8n's key store wasn't available for ${OPERATION_MS / 1000} seconds`);
}

function heldTooLong(): KeyStoreError {
	return new KeyStoreError('it was held for longer than its request may take');
}
