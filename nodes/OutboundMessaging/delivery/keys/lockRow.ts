import type { DeduplicationMode, IExecuteFunctions } from 'n8n-workflow';

import { type Clock, withinTime } from '../../common/clock';

/** n8n's deduplication store, as its helpers give it to a node. */
export type Store = Pick<
	IExecuteFunctions['helpers'],
	'checkProcessedAndRecord' | 'clearAllProcessedItems' | 'getProcessedDataCount' | 'removeProcessed'
>;

/** In the row of every lock, and in no other. */
const LOCK_VALUE = 'outboundMessaging.lock';
/**
 * n8n stops before it writes to a row of another mode. No other node has this one: neither can
 * change the other's row.
 */
const LOCK = { mode: 'outboundMessaging.lock' as string as DeduplicationMode } as const;
const COUNT = { mode: 'entries' } as const;

/** How long one query of the row may take. */
export const ROW_QUERY_MS = 10_000;

/** Whether a row is one of another node, by what n8n says of it. */
export const isForeignRow = (problem: string) => problem.includes('incompatible setting');

/**
 * The workflow's row in n8n's deduplication store (`deduplication-helper.ts`). It can be inserted
 * only once; whatever else changes it writes back what was read a moment ago.
 */
export class LockRow {
	constructor(
		private readonly store: Store,
		readonly clock: Clock,
	) {}

	/** @returns how many values it has; 0 without a row */
	async count(): Promise<number> {
		return await this.inTime(this.store.getProcessedDataCount('workflow', COUNT));
	}

	/** @returns whether there was no row before, so that whoever inserts it holds the lock */
	async insert(values: string[]): Promise<boolean> {
		return (await this.add(values)).has(LOCK_VALUE);
	}

	/**
	 * Puts a value into a row that's there.
	 * @returns whether it was in it before.
	 * @throws for another node's row
	 */
	async touch(value: string): Promise<boolean> {
		const added = await this.add([value]);
		// The row was gone, so this has inserted one.
		if (added.has(LOCK_VALUE)) await this.delete();
		return !added.has(value);
	}

	async delete(): Promise<void> {
		await this.inTime(this.store.clearAllProcessedItems('workflow', COUNT));
	}

	/** @returns what wasn't in the row before; LOCK_VALUE among it when there was no row */
	private async add(values: string[]): Promise<Set<unknown>> {
		const query = this.store.checkProcessedAndRecord([LOCK_VALUE, ...values], 'workflow', LOCK);
		return new Set((await this.inTime(query)).new);
	}

	private async inTime<T>(query: Promise<T>): Promise<T> {
		return await withinTime(this.clock, ROW_QUERY_MS, query);
	}
}
