import type { DeduplicationMode, IExecuteFunctions } from 'n8n-workflow';
import { randomString } from 'n8n-workflow';

import type { Clock } from './clock';
import { messageOf } from '../messageOf';
import { asKeyStoreError, KeyStoreError } from './keyStoreError';
import { TimeLimit, TimeLimitExceeded } from './timeLimit';

export type Store = Pick<
	IExecuteFunctions['helpers'],
	'checkProcessedAndRecord' | 'clearAllProcessedItems' | 'getProcessedDataCount' | 'removeProcessed'
>;

/** In the row of every lock, and in no other. */
const LOCK_KEY = 'outboundMessaging.lock';
/**
 * n8n compares the mode of a row with the mode that it is asked for, and stops before it writes. No other node has
 * this one: so a row of another node is found out without a change to it, and the other way round.
 */
const LOCK = { mode: 'outboundMessaging.lock' as string as DeduplicationMode } as const;
/** To count the entries of a row, in whichever mode it is. */
const COUNT = { mode: 'entries' } as const;

/** Between two looks at a lock that is taken; work under it takes a fraction of a second. */
const POLL_MS = { least: 10, most: 40 };
const POLL_LATER_MS = { least: 100, most: 300 };
const LATER_MS = 2_000;
const POLL_AFTER_ERROR_MS = 500;
/** After this time, a holder changes the row before its next call, and looks whether the row is still its own. */
const UNSURE_AFTER_MS = 10_000;
/** A row that hasn't changed for this long belongs to a process that is gone. A little chance keeps waiters apart. */
const TAKEOVER_MS = { least: 30_000, most: 40_000 };
/** For so long after announcing it, no one else may have touched the row: then the lock is taken over. */
const ANNOUNCED_MS = 15_000;
/** What a waiter knows about the row is too old to act on. */
const STALE_MS = 5_000;
/** How long a claim waits for the lock in total: more than two takeovers. */
export const LOCK_WAIT_MS = 120_000;
const RELEASE_MS = 20_000;
/** How long one call of the store may take: to the row of the lock, and to the keys. */
const LOCK_CALL_MS = 10_000;
const WORK_CALL_MS = 30_000;

/** The lock, held. */
export interface HeldLock {
	/**
	 * Calls the store, and makes sure that the lock was held the whole time.
	 * @throws KeyStoreError when it wasn't, or when the call failed: it may have had its effect anyway
	 */
	run<T>(call: () => Promise<T>): Promise<T>;
}

/**
 * A lock against other processes: other workers, other main processes. n8n gives nodes no lock, but its deduplication
 * store has one row for each workflow, and a row can be inserted only once: whoever inserts it holds the lock, and
 * deletes it afterwards. Nothing else in the store is atomic: an update writes back what was read a moment ago. So
 * - a holder changes the row between its calls, and a waiter only counts its entries; the longest call is over before
 *   anyone may take over;
 * - a waiter that has seen no change for TAKEOVER_MS announces that it takes over, by an entry of its own. If no one
 *   touches the row for another ANNOUNCED_MS, and the entry is still in it, the waiter deletes the row and starts again;
 * - no one acts on what it knew before a pause: it looks again.
 */
export class StoreLock {
	/** A row of the workflow that isn't a lock is found before the first wait. */
	private isProbed = false;

	constructor(
		private readonly store: Store,
		private readonly clock: Clock,
		private readonly limit = new TimeLimit(clock),
	) {}

	/**
	 * Does work that no other process does at the same time.
	 * @param isNeeded asked while waiting for the lock: false ends the wait, and the work isn't done
	 * @throws KeyStoreError when the lock couldn't be had: the work wasn't begun then
	 */
	async hold(work: (lock: HeldLock) => Promise<void>, isNeeded: () => boolean): Promise<void> {
		const row = await this.acquire(isNeeded);
		if (!row) return;
		try {
			await work(row);
		} finally {
			await row.release();
		}
	}

	private async acquire(isNeeded: () => boolean): Promise<LockRow | undefined> {
		const row = new LockRow(this.store, this.clock, this.limit);
		const begun = this.clock.now();
		const waiter = new Waiter(row, this.clock);
		let problem = 'another n8n process held the lock the whole time';
		while (isNeeded()) {
			const lookedAt = this.clock.now();
			try {
				const count = await row.count();
				if (count === 0) {
					if (await row.insert()) return row;
				} else if (!this.isProbed) {
					await row.probe();
					this.isProbed = true;
				} else if (await waiter.mayTakeOver(count, lookedAt)) {
					await row.delete();
					continue;
				}
			} catch (error) {
				if (isOfAnotherNode(error)) throw ofAnotherNode();
				// Whoever loses the race for an insert gets an error of the database.
				problem = messageOf(error);
				waiter.startAgain();
				await this.clock.sleep(between({ least: POLL_MS.most, most: POLL_AFTER_ERROR_MS }));
			}
			const waited = this.clock.now() - begun;
			if (waited >= LOCK_WAIT_MS) throw noLock(problem);
			await this.clock.sleep(between(waited < LATER_MS ? POLL_MS : POLL_LATER_MS));
		}
		return undefined;
	}
}

/** Watches a lock that another process holds. */
class Waiter {
	private seen?: { count: number; since: number; lookedAt: number };
	/** The entry that announces the takeover, once it is in the row. */
	private announcement?: string;
	private takeoverAfterMs = between(TAKEOVER_MS);

	constructor(
		private readonly row: LockRow,
		private readonly clock: Clock,
	) {}

	startAgain(): void {
		this.seen = undefined;
		this.announcement = undefined;
		this.takeoverAfterMs = between(TAKEOVER_MS);
	}

	/**
	 * @param count how many entries the row has now
	 * @param lookedAt when that was asked for
	 * @returns true when the row is left by its holder, and this process is the only one that may delete it
	 */
	async mayTakeOver(count: number, lookedAt: number): Promise<boolean> {
		const seen = this.seen;
		if (seen?.count !== count || lookedAt - seen.lookedAt > STALE_MS) {
			this.startAgain();
			this.seen = { count, since: lookedAt, lookedAt };
			return false;
		}
		seen.lookedAt = lookedAt;
		const quiet = this.announcement ? ANNOUNCED_MS : this.takeoverAfterMs;
		if (lookedAt - seen.since < quiet) return false;

		const announcement = this.announcement ?? randomString(16);
		const wasThere = await this.row.announce(announcement);
		const isStale = this.clock.now() - lookedAt > STALE_MS;
		if (isStale || wasThere !== (this.announcement !== undefined)) {
			this.startAgain();
			return false;
		}
		this.announcement = announcement;
		this.seen = { count: count + 1, since: this.clock.now(), lookedAt: this.clock.now() };
		return wasThere;
	}
}

/** The row of the workflow, as one process sees it that waits for the lock or holds it. */
class LockRow implements HeldLock {
	/** The first entry says whose row it is; how many follow differs, so that a new holder shows as a change. */
	private readonly id = randomString(16);
	private readonly entries = Array.from(
		{ length: between({ least: 1, most: 16 }) },
		(_, index) => `${this.id} ${index}`,
	);
	/** When the row was last known to be this one's. */
	private renewedAt = 0;
	private isLost = false;
	/** A call may still reach the database at any time: the row stays, until others find it left. */
	private isAbandoned = false;

	constructor(
		private readonly store: Store,
		private readonly clock: Clock,
		private readonly limit: TimeLimit,
	) {}

	/** How many entries the row has; 0 when there is none. Changes nothing. */
	async count(): Promise<number> {
		const call = this.store.getProcessedDataCount('workflow', COUNT);
		return await this.limit.of(LOCK_CALL_MS, call);
	}

	/** @returns true when the row is inserted, and the lock held */
	async insert(): Promise<boolean> {
		const at = this.clock.now();
		const isInserted = (await this.add([this.id, ...this.entries])).has(LOCK_KEY);
		if (isInserted) this.renewedAt = at;
		return isInserted;
	}

	/** Throws if the row belongs to another node. */
	async probe(): Promise<void> {
		// The row may be gone by now, and this inserts it.
		if ((await this.add([])).has(LOCK_KEY)) await this.delete();
	}

	/** Puts an entry into the row of another holder. @returns true when it was there before */
	async announce(entry: string): Promise<boolean> {
		const added = await this.add([entry]);
		// The row was gone, so this has inserted one.
		if (added.has(LOCK_KEY)) await this.delete();
		return !added.has(entry);
	}

	async delete(): Promise<void> {
		const call = this.store.clearAllProcessedItems('workflow', COUNT);
		await this.limit.of(LOCK_CALL_MS, call);
	}

	async run<T>(call: () => Promise<T>): Promise<T> {
		await this.confirm();
		try {
			const result = await this.limit.of(WORK_CALL_MS, call());
			await this.confirm();
			return result;
		} catch (error) {
			if (error instanceof TimeLimitExceeded) {
				this.isAbandoned = true;
				// A last sign of life: it may be a while until the call takes effect.
				await this.renew().catch(() => {});
			}
			throw asKeyStoreError(error);
		}
	}

	/** Gives the lock back. What can't be given back is taken over by others after a while. */
	async release(): Promise<void> {
		const giveUpAt = this.clock.now() + RELEASE_MS;
		for (let isFirst = true; this.clock.now() < giveUpAt; isFirst = false) {
			try {
				if (this.isAbandoned) return;
				if (!isFirst || this.isUnsure()) await this.renew();
				if (this.isLost) return;
				await this.delete();
				return;
			} catch (error) {
				if (error instanceof TimeLimitExceeded) return;
				await this.clock.sleep(between({ least: POLL_MS.most, most: POLL_AFTER_ERROR_MS }));
			}
		}
	}

	private async confirm(): Promise<void> {
		if (!this.isAbandoned && this.isUnsure()) await this.renew();
		if (this.isLost || this.isAbandoned) throw lostLock();
	}

	private isUnsure(): boolean {
		return this.clock.now() - this.renewedAt > UNSURE_AFTER_MS;
	}

	/** Changes the row, and looks whether it is still the one that was inserted. */
	private async renew(): Promise<void> {
		const at = this.clock.now();
		const added = await this.add([this.id, `${this.id} at ${at}`]);
		if (!added.has(this.id)) {
			this.renewedAt = at;
			return;
		}
		this.isLost = true;
		// The row was gone, so this has inserted one.
		if (added.has(LOCK_KEY)) await this.delete();
	}

	/** @returns what wasn't in the row before; LOCK_KEY among it when there was no row */
	private async add(entries: string[]): Promise<Set<unknown>> {
		const call = this.store.checkProcessedAndRecord([LOCK_KEY, ...entries], 'workflow', LOCK);
		return new Set((await this.limit.of(LOCK_CALL_MS, call)).new);
	}
}

function isOfAnotherNode(error: unknown): boolean {
	return messageOf(error).includes('incompatible setting');
}

function ofAnotherNode(): KeyStoreError {
	return new KeyStoreError(
		"a Remove Duplicates node with the scope 'Workflow' occupies the place in n8n's database where this node keeps its lock",
		"In the Remove Duplicates nodes of this workflow, set 'Scope' to 'Node'. Then run one of them once with the operation 'Clear Deduplication History' and the scope 'Workflow'. They forget what they have seen: filter out the items that were sent before",
	);
}

function noLock(problem: string): KeyStoreError {
	return new KeyStoreError(
		`n8n's key store wasn't available for ${LOCK_WAIT_MS / 1000} seconds: ${problem}`,
	);
}

function lostLock(): KeyStoreError {
	return new KeyStoreError('this n8n process was busy for too long and lost its lock');
}

/** A whole number by chance, within these bounds. */
function between({ least, most }: { least: number; most: number }): number {
	return least + Math.floor(Math.random() * (most - least + 1));
}
