import { type DeduplicationMode, type IExecuteFunctions, randomString } from 'n8n-workflow';

import { type Clock, TimeLimitExceeded, withinTime } from '../../common/clock';
import { errorMessage } from '../../common/errorMessage';
import { isForeignRow } from '../../n8n/internals';

export type Store = Pick<
	IExecuteFunctions['helpers'],
	'checkProcessedAndRecord' | 'clearAllProcessedItems' | 'getProcessedDataCount' | 'removeProcessed'
>;

/** In the row of every lock, and in no other. */
const LOCK_KEY = 'outboundMessaging.lock';
/** n8n stops before it writes to a row of another mode. No other node has this one: neither can change the other's row. */
const LOCK = { mode: 'outboundMessaging.lock' as string as DeduplicationMode } as const;
const COUNT = { mode: 'entries' } as const;

/** How many entries a holder adds differs, so that a new one shows as a change. */
const MORE_ENTRIES = { least: 1, most: 16 };
/** Between two looks at a lock that is taken; work under it takes a fraction of a second. */
const POLL_MS = { least: 10, most: 40 };
const POLL_LATER_MS = { least: 100, most: 300 };
const LATER_MS = 2_000;
const POLL_AFTER_ERROR_MS = { least: 40, most: 500 };
/** How long one call of the store may take: to the row of the lock, and to the keys. */
const LOCK_CALL_MS = 10_000;
const WORK_CALL_MS = 30_000;
/** A row that hasn't changed for this long is a dead process's. Each waiter takes another time, so that two don't act at once. */
const TAKEOVER_MS = { least: 30_000, most: 40_000 };
/** For so long after announcing it, no one else may have touched the row: then the lock is taken over. */
const ANNOUNCED_MS = 15_000;
/** What a waiter knows about the row is too old to act on. */
const STALE_MS = 5_000;
/** A holder ends all of its calls by then: a waiter whose first look was just before it got the lock may take over next. */
const END_MS = TAKEOVER_MS.least + ANNOUNCED_MS - STALE_MS;
/** Its work begins no call when less time is left. */
const LEAST_LEFT_MS = 20_000;

/** Calls the store while the lock is held. Throws when it wasn't held the whole time: the call may have had its effect anyway. */
export type CallStore = <T>(call: () => Promise<T>) => Promise<T>;

/** A row of another node is where the lock would be. */
export class ForeignRow extends Error {
	readonly fix =
		"In the Remove Duplicates nodes of this workflow, set 'Scope' to 'Node'. Then run one of them once with the operation 'Clear Deduplication History' and the scope 'Workflow'. They forget what they have seen: filter out the items that were sent before";

	override readonly message =
		"a Remove Duplicates node with the scope 'Workflow' occupies the place in n8n's database where this node keeps its lock";
}

/** What a waiter saw of the row of another process, and until when it waits if nothing changes. */
type Watch = { count: number; lookedAt: number; until: number } & (
	| { is: 'watching' }
	/** Its own entry in the row says that it takes over. */
	| { is: 'announced'; entry: string }
);

/**
 * A lock against other processes: other workers, other main processes. n8n gives nodes no lock, but its deduplication
 * store has one row for each workflow, and a row can be inserted only once: whoever inserts it holds the lock, and
 * deletes it afterwards. Nothing else in the store is atomic: an update writes back what was read a moment ago. So
 * - a holder has a limited time, and all of its calls are over before anyone may take over;
 * - a waiter only counts the row's entries, and takes over from a holder that was killed:
 *       0 s       it sees the row for the first time; whenever its number of entries changes, this begins again
 *      30-40 s    no one has touched the row: it announces that it takes over, by an entry of its own
 *      45-55 s    no one else has touched it, and the entry is still in it: it deletes the row and starts again
 * - no one acts on what it knew before a pause: it looks again.
 */
export class StoreLock {
	/** A row of the workflow that isn't a lock is found before the first wait. */
	private isProbed = false;
	/** Why it isn't held yet; empty when no one waits for it. */
	problem = '';

	constructor(
		private readonly store: Store,
		private readonly clock: Clock,
	) {}

	/** Does work that no other process does at the same time; not at all when it isn't needed any more. @throws ForeignRow */
	async hold(work: (call: CallStore) => Promise<void>, isNeeded: () => boolean): Promise<void> {
		const id = randomString(16);
		const since = await this.acquire(id, isNeeded);
		this.problem = '';
		if (since === undefined) return;
		let endsAt = since + END_MS;
		const leftMs = () => endsAt - this.clock.now();
		const requireLeft = (milliseconds: number) => {
			if (leftMs() >= milliseconds) return;
			throw new Error('this n8n process was busy for too long and lost its lock');
		};
		const callStore: CallStore = async (call) => {
			requireLeft(LEAST_LEFT_MS);
			const limit = Math.min(WORK_CALL_MS, leftMs());
			const result = await withinTime(this.clock, limit, call(), async () => {
				// The call may still reach the database: the row stays, and others take it over once it hasn't changed for long enough.
				endsAt = -Infinity;
				await this.touch(randomString(16)).catch(() => {});
				throw new TimeLimitExceeded(limit);
			});
			// An answer may reach a busy process late, but not when others may have the lock.
			requireLeft(-STALE_MS);
			return result;
		};
		await work(callStore).finally(async () => await this.release(id, leftMs));
	}

	/** @returns since when the lock is held at most; undefined when it isn't needed any more */
	private async acquire(id: string, isNeeded: () => boolean): Promise<number | undefined> {
		const begun = this.clock.now();
		let seen: Watch | undefined;
		this.problem = 'another n8n process held the lock the whole time';
		while (isNeeded()) {
			const lookedAt = this.clock.now();
			try {
				const count = await this.inTime(this.store.getProcessedDataCount('workflow', COUNT));
				if (count === 0) {
					const more = Array.from({ length: between(MORE_ENTRIES) }, (_, n) => `${id} ${n}`);
					if ((await this.add([id, ...more])).has(LOCK_KEY)) return lookedAt;
				} else if (!this.isProbed) {
					await this.touch();
					this.isProbed = true;
				} else {
					seen = await this.watch(count, lookedAt, seen);
				}
			} catch (error) {
				// Whoever loses the race for an insert gets an error of the database.
				this.problem = errorMessage(error);
				seen = undefined;
				await this.clock.sleep(between(POLL_AFTER_ERROR_MS));
			}
			if (isForeignRow(this.problem)) throw new ForeignRow();
			const isNew = this.clock.now() - begun < LATER_MS;
			await this.clock.sleep(between(isNew ? POLL_MS : POLL_LATER_MS));
		}
		return undefined;
	}

	/** Takes the step that is due at the row of another process, by the look before. @returns undefined to start again */
	private async watch(count: number, lookedAt: number, seen?: Watch): Promise<Watch | undefined> {
		if (seen?.count !== count || lookedAt - seen.lookedAt > STALE_MS)
			return { is: 'watching', count, lookedAt, until: lookedAt + between(TAKEOVER_MS) };
		if (lookedAt < seen.until) return { ...seen, lookedAt };

		const isAnnounced = seen.is === 'announced';
		const entry = isAnnounced ? seen.entry : randomString(16);
		const wasThere = await this.touch(entry);
		const now = this.clock.now();
		if (now - lookedAt > STALE_MS || wasThere !== isAnnounced) return undefined;
		if (isAnnounced) return void (await this.delete());
		return { is: 'announced', count: count + 1, lookedAt: now, until: now + ANNOUNCED_MS, entry };
	}

	/** Gives the lock back. What can't be given back is taken over by others after a while. */
	private async release(id: string, leftMs: () => number): Promise<void> {
		let isOwn = true;
		while (leftMs() > LOCK_CALL_MS) {
			try {
				if (isOwn) return await this.delete();
				// The call that failed may have deleted the row, and then this one is another's.
				isOwn = await this.touch(id);
				if (!isOwn) return;
			} catch (error) {
				if (error instanceof TimeLimitExceeded) return;
				isOwn = false;
				await this.clock.sleep(between(POLL_AFTER_ERROR_MS));
			}
		}
	}

	/** Puts an entry into a row that's there. @returns whether it was in it before */
	private async touch(...entry: string[]): Promise<boolean> {
		const added = await this.add(entry);
		// The row was gone, so this has inserted one.
		if (added.has(LOCK_KEY)) await this.delete();
		return !entry.some((each) => added.has(each));
	}

	private async delete(): Promise<void> {
		await this.inTime(this.store.clearAllProcessedItems('workflow', COUNT));
	}

	/** @returns what wasn't in the row before; LOCK_KEY among it when there was no row */
	private async add(entries: string[]): Promise<Set<unknown>> {
		const call = this.store.checkProcessedAndRecord([LOCK_KEY, ...entries], 'workflow', LOCK);
		return new Set((await this.inTime(call)).new);
	}

	private async inTime<T>(call: Promise<T>): Promise<T> {
		return await withinTime(this.clock, LOCK_CALL_MS, call, () => {
			throw new TimeLimitExceeded(LOCK_CALL_MS);
		});
	}
}

const between = ({ least, most }: { least: number; most: number }) =>
	least + Math.floor(Math.random() * (most - least + 1));
