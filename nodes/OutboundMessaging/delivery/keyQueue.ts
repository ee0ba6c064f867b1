import type { Clock } from './clock';
import { asKeyStoreError, KeyStoreError } from './keyStoreError';
import type { Claim } from './keyStore';
import { withMutex } from './mutex';
import type { HeldLock, Store } from './storeLock';
import { LOCK_WAIT_MS, StoreLock } from './storeLock';

/** How long an operation may take in all before it is given up: the wait for its turn and for the lock, and its work. */
const OPERATION_MS = LOCK_WAIT_MS + 60_000;
/** How often those that wait are asked whether they still want to. */
const POLL_MS = 200;
const RETRY_MS = 1_000;

const KEYS = { mode: 'entries' } as const;
/** Every key may have a mark. */
const ENTRIES_PER_KEY = 2;

/** A second entry beside the key. No key of a user begins like this. */
const markOf = (key: string) => `\u0000in flight ${key}`;

/** What is asked for: `check` asks for nothing but the lock. */
interface Wish {
	kind: 'check' | 'claim' | 'reclaim' | 'accept' | 'uncertain' | 'release';
	key: string;
	/** What is in flight now counts as uncertain. */
	isLastLook?: boolean;
	shouldStop?(): boolean;
}

type Found = Claim | 'inFlight';

interface Operation extends Wish {
	giveUpAt: number;
	resolve(found: Found): void;
	reject(error: KeyStoreError): void;
}

/**
 * The entries of a key in n8n's deduplication store, and what they mean:
 *
 *   key and mark   in flight: claimed, and not known to have ended
 *   key alone      accepted
 *   mark alone     uncertain
 *   neither        free
 *
 * The store reads, changes and writes all entries of a node at once, and can't be asked for an entry without adding
 * it. So whatever is asked for while others work is done together, under a lock: everything that may be new is added in
 * one call, and what was added only to look is removed again. Killed in between, a process leaves the keys of that call
 * in flight or uncertain, never free or accepted.
 */
export class KeyQueue {
	private readonly waiting = new Set<Operation>();
	private readonly lock: StoreLock;
	private isScheduled = false;
	private isWatched = false;
	pushedOut = 0;

	/**
	 * @param line one name for all that change the same entries in this process
	 * @param keptKeys how many of the newest keys are kept at least; with a mark each they are twice as many entries
	 */
	constructor(
		private readonly store: Store,
		private readonly clock: Clock,
		private readonly line: string,
		private readonly keptKeys: number,
	) {
		this.lock = new StoreLock(store, clock);
	}

	/** @throws KeyStoreError */
	async add(wish: Wish): Promise<Found> {
		return await new Promise((resolve, reject) => {
			this.enqueue({ ...wish, giveUpAt: this.clock.now() + OPERATION_MS, resolve, reject });
		});
	}

	private enqueue(operation: Operation): void {
		this.waiting.add(operation);
		this.schedule();
		if (!this.isWatched) void this.watch();
	}

	private schedule(): void {
		if (this.isScheduled) return;
		this.isScheduled = true;
		void withMutex(this.line, async () => await this.flush());
	}

	/** Those that wait for their turn may give up. */
	private async watch(): Promise<void> {
		this.isWatched = true;
		while (this.waiting.size > 0) {
			await this.clock.sleep(POLL_MS);
			for (const operation of this.waiting) this.mayGiveUp(operation);
		}
		this.isWatched = false;
	}

	private mayGiveUp(operation: Operation): boolean {
		if (operation.shouldStop?.()) operation.resolve('stopped');
		else if (this.clock.now() >= operation.giveUpAt) operation.reject(tooLate());
		else return false;
		this.waiting.delete(operation);
		return true;
	}

	private async flush(): Promise<void> {
		let batch: Operation[] | undefined;
		try {
			const work = async (lock: HeldLock) => {
				batch = this.takeBatch();
				this.isScheduled = false;
				await this.apply(batch, lock);
			};
			await this.lock.hold(work, () => this.waiting.size > 0);
		} catch (error) {
			// Without the lock nothing was begun, and all that waited for it fail with the same words.
			for (const operation of batch ?? this.waiting) {
				this.waiting.delete(operation);
				operation.reject(asKeyStoreError(error));
			}
		}
		if (batch === undefined) this.isScheduled = false;
		// Some came too late for the lock, or wait for a key that was part of the batch.
		if (this.waiting.size > 0) this.schedule();
	}

	/** Everything that waits, but one operation for each key: the next one depends on what becomes of the first. */
	private takeBatch(): Operation[] {
		const batch = new Map<string, Operation>();
		for (const operation of this.waiting) {
			if (batch.has(operation.key) || this.mayGiveUp(operation)) continue;
			batch.set(operation.key, operation);
			this.waiting.delete(operation);
		}
		return [...batch.values()];
	}

	private async apply(batch: Operation[], lock: HeldLock): Promise<void> {
		const having = (kinds: Array<Wish['kind']>) => batch.filter(({ kind }) => kinds.includes(kind));
		for (const { resolve } of having(['check'])) resolve('claimed');
		await this.remove(having(['release', 'uncertain']), lock);
		await this.record(having(['accept', 'claim', 'reclaim']), lock);
	}

	private async remove(operations: Operation[], lock: HeldLock): Promise<void> {
		if (operations.length === 0) return;
		const entries = operations.flatMap(({ kind, key }) =>
			kind === 'release' ? [key, markOf(key)] : [key],
		);
		try {
			await lock.run(async () => await this.store.removeProcessed(entries, 'node', KEYS));
			for (const { resolve } of operations) resolve('claimed');
		} catch (error) {
			// It may have been written all the same, and the key be claimed by another: never a second time.
			for (const { reject } of operations) reject(asKeyStoreError(error));
		}
	}

	private async record(operations: Operation[], lock: HeldLock): Promise<void> {
		if (operations.length === 0) return;
		const entries = operations.flatMap(({ kind, key }) =>
			kind === 'accept' ? [key] : [key, markOf(key)],
		);
		let fresh: Set<unknown>;
		try {
			const check = async () => await this.store.checkProcessedAndRecord(entries, 'node', KEYS);
			fresh = new Set((await lock.run(check)).new);
		} catch (error) {
			for (const operation of operations) {
				if (operation.kind === 'accept') this.retry(operation, error);
				else operation.reject(asKeyStoreError(error));
			}
			return;
		}
		const findings = operations.map((operation) => {
			const finding = judge(operation, fresh.has(operation.key), fresh.has(markOf(operation.key)));
			if (finding.undo === undefined) operation.resolve(finding.found);
			return { operation, ...finding };
		});
		const undone = findings.flatMap(({ operation: { key }, undo }) =>
			undo === undefined ? [] : [undo === 'key' ? key : markOf(key)],
		);
		try {
			if (undone.length > 0) {
				await lock.run(async () => await this.store.removeProcessed(undone, 'node', KEYS));
			}
		} catch (error) {
			for (const { operation, found } of findings) {
				if (operation.kind === 'accept') {
					this.retry(operation, error);
				} else {
					operation.resolve(found);
					// The mark that was added only to look must not stay.
					if (found === 'alreadySent') {
						this.add({ kind: 'accept', key: operation.key }).catch(() => {});
					}
				}
			}
			return;
		}
		for (const { operation, found } of findings) operation.resolve(found);
		if (findings.some(({ found }) => found === 'claimed')) await this.trim(lock);
	}

	/** Only what has the same result when it is done twice. */
	private retry(operation: Operation, error: unknown): void {
		if (this.clock.now() + RETRY_MS >= operation.giveUpAt) {
			operation.reject(asKeyStoreError(error));
			return;
		}
		void this.clock.sleep(RETRY_MS).then(() => this.enqueue(operation));
	}

	private async trim(lock: HeldLock): Promise<void> {
		const maxEntries = this.keptKeys * ENTRIES_PER_KEY;
		try {
			const count = await lock.run(
				async () => await this.store.getProcessedDataCount('node', KEYS),
			);
			if (count <= maxEntries) return;
			const options = { ...KEYS, maxEntries };
			await lock.run(async () => await this.store.checkProcessedAndRecord([], 'node', options));
			this.pushedOut += count - maxEntries;
		} catch {
			// The next claim trims as well.
		}
	}
}

/** What the entries of a key mean for whoever asks, and which of them was added only by asking. */
function judge(
	{ kind, isLastLook }: Wish,
	isKeyNew: boolean,
	isMarkNew: boolean,
): { found: Found; undo?: 'key' | 'mark' } {
	if (kind === 'accept') return { found: 'claimed', undo: 'mark' };
	if (isKeyNew && isMarkNew) return { found: 'claimed' };
	if (isMarkNew) return { found: 'alreadySent', undo: 'mark' };
	if (isKeyNew) {
		return kind === 'reclaim' ? { found: 'claimed' } : { found: 'uncertain', undo: 'key' };
	}
	// Without its key it is uncertain from now on: one of those that resend can take it.
	return isLastLook ? { found: 'uncertain', undo: 'key' } : { found: 'inFlight' };
}

function tooLate(): KeyStoreError {
	return new KeyStoreError(`n8n's key store wasn't available for ${OPERATION_MS / 1000} seconds`);
}
