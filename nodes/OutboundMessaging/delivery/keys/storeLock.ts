import { randomString } from 'n8n-workflow';

import { TimeLimitExceeded, withinTime } from '../../common/clock';
import { errorMessage, twoLines, misconfigured } from '../../common/failure';
import { type LockRow, ROW_QUERY_MS, isForeignRow } from './lockRow';

/**
 * How many values a holder puts into the row: a random number, so that a new holder
 * shows as a change.
 */
const VALUES = { least: 2, most: 17 };
/**
 * Between two looks at a lock that is taken; up to a fiftieth of the time that it has
 * waited is added.
 */
const POLL_MS = { least: 10, most: 40 };
const MORE_LATER = 1 / 50;

/**
 * Times in milliseconds. When a holder's last query is over, so that even the earliest
 * takeover comes later:
 *
 *    0 s   it looks at the free row, inserts one right then, and a waiter may see that
 *          for the first time
 *   20 s   its last query of the keys may begin
 *   30 s   its last query of the row may begin; the waiter may announce that it takes over
 *   40 s   all of its queries are over
 *   45 s   the waiter may delete the row, and get the lock
 */
const TIMES = {
	/**
	 * A row that hasn't changed for so long is a dead process's. Each waiter has another time: no
	 * two act at once.
	 */
	unchanged: { least: 30_000, most: 40_000 },
	/**
	 * For so long after announcing it, no one else may have touched the row: then the
	 * lock is taken over.
	 */
	announced: 15_000,
	/** After so long, what a waiter knows about the row is too old to act on. */
	stale: 5_000,
	/** How long one query of the keys may take. */
	query: 20_000,
	/** How long before a query that failed is tried again. */
	retry: 200,
	/**
	 * After so long, a waiter adds a value. n8n rejects it if the row is another node's: then
	 * waiting is useless.
	 */
	check: 2_000,
};
const EARLIEST_TAKEOVER_MS = TIMES.unchanged.least + TIMES.announced;
/** How long a lock is held at most: a busy holder may notice its end this late. */
const HELD_MS = EARLIEST_TAKEOVER_MS - TIMES.stale;

/**
 * Queries the store while the lock is held, and once more if that fails. Throws when it wasn't held
 * the whole time: the query may have had its effect anyway.
 */
export type UseStore = <T>(query: () => Promise<T>) => Promise<T>;
type IsNeeded = (problem: string) => boolean;

/** Another node's row is where the lock would be. */
const FOREIGN_ROW = twoLines`A Remove Duplicates node with the scope 'Workflow' occupies the place \
		in n8n's database where this node keeps its lock
	In the Remove Duplicates nodes of this workflow, set 'Scope' to 'Node'. Then run one of them \
		once with the operation 'Clear Deduplication History' and the scope 'Workflow'. They forget \
		what they have seen: filter out the items that were sent before`;

/**
 * A lock against other processes: other workers, other main processes. n8n gives nodes no lock, but
 * its deduplication store has one row for each workflow, and a row can be inserted only once:
 * whoever inserts it holds the lock, and deletes it afterwards. Nothing else in the store is
 * atomic: an update writes back what was read a moment ago. So
 * - a holder has a limited time, and all of its queries are over before anyone may take over;
 * - a waiter counts the row's values, and takes over from a holder that was killed: see Takeover;
 * - no one acts on what it knew before a pause: it looks again.
 */
export class StoreLock {
	constructor(private readonly row: LockRow) {}

	/**
	 * Does work that no other process does at the same time; not at all when it isn't
	 * needed any more.
	 * @param isNeeded is told why the lock isn't held yet
	 * @throws RunRejected where another node's row is in the lock's place
	 */
	async hold(work: (useStore: UseStore) => Promise<void>, isNeeded: IsNeeded): Promise<void> {
		const id = randomString(16);
		const since = await this.acquire(id, isNeeded);
		if (since === undefined) return;
		const held = new HeldLock(this.row, id, since + HELD_MS);
		try {
			await work(async (query) => await held.useStore(query));
		} finally {
			// What can't be given back is taken over by others after a while.
			await held.release().catch(() => {});
		}
	}

	/** @returns since when the lock is held at most; undefined when it isn't needed any more */
	private async acquire(id: string, isNeeded: IsNeeded): Promise<number | undefined> {
		const { row } = this;
		const begun = row.clock.now();
		const takeover = new Takeover(row);
		let problem = 'another n8n process held the lock the whole time';
		while (isNeeded(problem)) {
			const lookedAt = row.clock.now();
			try {
				const count = await row.count();
				if (count > 0) await takeover.advance(count, lookedAt);
				else if (await row.insert(valuesOf(id))) return lookedAt;
			} catch (error) {
				// Whoever loses the race for an insert gets an error of the database.
				problem = errorMessage(error);
			}
			if (isForeignRow(problem)) throw misconfigured(FOREIGN_ROW);
			const waitedMs = row.clock.now() - begun;
			await row.clock.sleep(between(POLL_MS) + Math.random() * waitedMs * MORE_LATER);
		}
		return undefined;
	}
}

/** The lock from when it's held until it's given back, or lost. */
class HeldLock {
	constructor(
		private readonly row: LockRow,
		private readonly id: string,
		private endsAt: number,
	) {}

	async useStore<T>(query: () => Promise<T>): Promise<T> {
		return await this.useOnce(query).catch(async (error: unknown) => {
			if (error instanceof TimeLimitExceeded) throw error;
			await this.row.clock.sleep(TIMES.retry);
			return await this.useOnce(query);
		});
	}

	private async useOnce<T>(query: () => Promise<T>): Promise<T> {
		this.requireTime(TIMES.query);
		const result = await withinTime(this.row.clock, TIMES.query, query(), async () => {
			// Lost: the query may still reach the database, so others take over once the row hasn't
			// changed for long enough.
			this.endsAt = -Infinity;
			await this.row.touch(randomString(16)).catch(() => {});
			throw new TimeLimitExceeded(TIMES.query);
		});
		// A busy process may get a response late: others have the lock only `stale` after its end.
		this.requireTime(-TIMES.stale);
		return result;
	}

	private hasTime(milliseconds: number): boolean {
		return this.row.clock.now() + milliseconds <= this.endsAt;
	}

	private requireTime(milliseconds: number): void {
		if (this.hasTime(milliseconds)) return;
		throw new Error('this n8n process was busy for too long and lost its lock');
	}

	async release(): Promise<void> {
		const { row } = this;
		if (!this.hasTime(ROW_QUERY_MS)) return;
		try {
			await row.delete();
		} catch (error) {
			// What got no response may still delete the row, when it's another's.
			if (error instanceof TimeLimitExceeded || !this.hasTime(3 * ROW_QUERY_MS)) return;
			await row.clock.sleep(TIMES.retry);
			// The query that failed may have deleted the row, and then this one is another's.
			if (await row.touch(this.id)) await row.delete();
		}
	}
}

/**
 * How a waiter takes over from a holder that was killed:
 *
 * state      from                                            until
 * watching   it sees the row for the first time, or another  no one has touched the row for 30 to
 *            number of values in it                          40 s
 * announced  it has put a value of its own into the row      no one else has touched it for 15 s,
 *                                                            and its value is still there: then it
 *                                                            deletes the row
 */
class Takeover {
	private known: Known = NOTHING;
	private checkAt: number;

	constructor(private readonly row: LockRow) {
		this.checkAt = row.clock.now() + TIMES.check;
	}

	/** Takes the step that is due. @param count how many values the row had when it was looked at */
	async advance(count: number, lookedAt: number): Promise<void> {
		await this.takeStep(count, lookedAt);
		if (lookedAt < this.checkAt) return;

		// Only once: for the others that wait, each new value is a change.
		this.checkAt = Infinity;
		await this.row.touch(randomString(16));
	}

	private async takeStep(count: number, lookedAt: number): Promise<void> {
		const { known } = this;
		const hasChanged = count !== known.count;
		const isTooOld = lookedAt - known.lookedAt > TIMES.stale;
		if (hasChanged || isTooOld) {
			const nextStepAt = lookedAt + between(TIMES.unchanged);
			this.known = { state: 'watching', count, lookedAt, nextStepAt };
			return;
		}

		known.lookedAt = lookedAt;
		if (lookedAt < known.nextStepAt) return;
		const step = known.state === 'watching' ? this.announce(known) : this.takeOver(known);
		this.known = await step;
	}

	private async announce({ count, lookedAt }: Known): Promise<Known> {
		const announcement = randomString(16);
		await this.row.touch(announcement);

		const nextStepAt = this.row.clock.now() + TIMES.announced;
		return { state: 'announced', count: count + 1, lookedAt, nextStepAt, announcement };
	}

	private async takeOver({ announcement, lookedAt }: Announced): Promise<Known> {
		const isStillThere = await this.row.touch(announcement);
		const isStale = this.row.clock.now() - lookedAt > TIMES.stale;
		if (isStillThere && !isStale) await this.row.delete();
		return NOTHING;
	}
}

/** What a waiter knows of the row, and when its next step is due. */
interface Watching {
	state: 'watching';
	count: number;
	lookedAt: number;
	nextStepAt: number;
}
type Announced = Omit<Watching, 'state'> & { state: 'announced'; announcement: string };
type Known = Watching | Announced;

/** No row has so few values: at the next look, it has changed. */
const NOTHING: Known = { state: 'watching', count: 0, lookedAt: 0, nextStepAt: Infinity };

const valuesOf = (id: string) =>
	Array.from({ length: between(VALUES) }, (_, n) => (n === 0 ? id : `${id} ${n}`));

const between = ({ least, most }: { least: number; most: number }) =>
	least + Math.floor(Math.random() * (most - least + 1));
