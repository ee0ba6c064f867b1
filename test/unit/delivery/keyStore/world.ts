/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import type { DeduplicationScope, ICheckProcessedOptions } from 'n8n-workflow';

import type { Clock } from '../../../../nodes/OutboundMessaging/common/clock';
import type { Store } from '../../../../nodes/OutboundMessaging/delivery/keys/lockRow';

/** Numbers by chance that come again with the same seed. */
export function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** A world with a clock of its own: what happens is run in its order, and in no time. */
export class World {
	now = 0;
	/** What comes next is at the end. */
	private readonly events: Array<{ at: number; run(): void }> = [];

	get isOver(): boolean {
		return this.events.length === 0;
	}

	at(milliseconds: number, run: () => void): void {
		const at = this.now + milliseconds;
		this.events.splice(this.events.findLastIndex((event) => event.at > at) + 1, 0, { at, run });
	}

	/** Lets time pass until a promise settles. */
	async until<T>(promise: Promise<T>): Promise<T> {
		let isOver = false;
		const end = () => (isOver = true);
		promise.then(end, end);
		await turn();
		while (!isOver) {
			const event = this.events.pop();
			if (!event) throw new Error('Nothing is left to happen, and the promise has not settled');
			this.now = event.at;
			event.run();
			await turn();
		}
		return await promise;
	}
}

/** What follows from what just happened, and takes no time: chains of promises, however long. */
async function turn(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
}

/** A process: it can be paused for a while, and killed. */
export class Process {
	isAlive = true;
	private pausedUntil = 0;

	constructor(
		readonly name: string,
		private readonly world: World,
	) {}

	readonly clock: Clock = {
		now: () => this.world.now,
		sleep: async (milliseconds) =>
			await new Promise<void>((resolve) =>
				this.world.at(milliseconds, () => this.deliver(resolve)),
			),
	};

	pause(milliseconds: number): void {
		this.pausedUntil = Math.max(this.pausedUntil, this.world.now + milliseconds);
	}

	kill(): void {
		this.isAlive = false;
	}

	/** What reaches a paused process waits for it; what reaches a dead one is lost. */
	deliver(what: () => void): void {
		if (!this.isAlive) return;
		const wait = this.pausedUntil - this.world.now;
		if (wait > 0) this.world.at(wait, () => this.deliver(what));
		else what();
	}
}

/** How a statement fares on its way to the database and back. */
export interface Journey {
	/** Milliseconds. */
	there: number;
	back: number;
	fails?: 'before' | 'after';
	/** The process is never told. */
	isMute?: boolean;
}

/** Never changed, only replaced. */
interface Row {
	readonly mode: string;
	readonly data: readonly string[];
	readonly version: number;
}

/** The table of the store, statement by statement: each is atomic, and nothing else is. */
export class Database {
	readonly rows = new Map<DeduplicationScope, Row>();
	isGone = false;
	/**
	 * Updates that overwrote what another process had written since they read it: two were
	 * at work at once.
	 */
	readonly overwritten: string[] = [];
	private version = 0;
	/** Whose list of keys is being changed. */
	private readonly changing = new Set<Process>();

	constructor(
		private readonly world: World,
		private readonly journey: () => Journey = () => ({ there: 1, back: 1 }),
	) {}

	/** n8n's deduplication helpers, as a process has them. */
	storeOf(process: Process): Store {
		const select = async (scope: DeduplicationScope) =>
			await this.statement(process, () => this.rows.get(scope));
		const update = async (scope: DeduplicationScope, row: Row) => {
			await this.statement(process, () => {
				const current = this.rows.get(scope);
				if (!current) return;
				if (scope === 'node' && current.version !== row.version)
					this.overwritten.push(process.name);
				this.rows.set(scope, { ...row, version: ++this.version });
			});
		};
		/** Reading and writing the keys is one change, that no other may come between. */
		const change = async <T>(scope: DeduplicationScope, work: () => Promise<T>): Promise<T> => {
			if (scope === 'workflow') return await work();
			for (const other of this.changing) {
				if (other !== process && other.isAlive) this.overwritten.push(process.name);
			}
			this.changing.add(process);
			try {
				return await work();
			} finally {
				this.changing.delete(process);
			}
		};
		return {
			checkProcessedAndRecord: async (items, scope, { mode, maxEntries }) =>
				await change(scope, async () => {
					const row = await select(scope);
					const keys = items.map(String);
					const keep = (data: readonly string[]) => (maxEntries ? data.slice(-maxEntries) : data);
					if (!row) {
						await this.statement(process, () => {
							if (this.rows.has(scope)) throw new Error('duplicate key value');
							this.rows.set(scope, { mode, data: keep(keys), version: ++this.version });
						});
						return { new: items, processed: [] };
					}
					if (row.mode !== mode) throw new Error(INCOMPATIBLE);
					const known = new Set(row.data);
					const fresh = keys.filter((key) => !known.has(key));
					await update(scope, { ...row, data: keep([...row.data, ...fresh]) });
					return { new: fresh, processed: keys.filter((key) => known.has(key)) };
				}),
			removeProcessed: async (items, scope) =>
				await change(scope, async () => {
					const row = await select(scope);
					if (!row) return;
					const removed = new Set(items.map(String));
					await update(scope, { ...row, data: row.data.filter((key) => !removed.has(key)) });
				}),
			clearAllProcessedItems: async (scope) => {
				await this.statement(process, () => void this.rows.delete(scope));
			},
			getProcessedDataCount: async (scope, options: ICheckProcessedOptions) => {
				const row = await select(scope);
				return options.mode === 'entries' && row ? row.data.length : 0;
			},
		};
	}

	private async statement<T>(process: Process, execute: () => T): Promise<T> {
		const { there, back, fails, isMute } = this.journey();
		return await new Promise<T>((resolve, reject) => {
			this.world.at(there, () => {
				let answer: () => void;
				try {
					if (this.isGone || fails === 'before')
						throw new Error('Connection terminated unexpectedly');
					const result = execute();
					if (fails === 'after') throw new Error('Connection lost');
					answer = () => resolve(result);
				} catch (error) {
					answer = () => reject(error as Error);
				}
				if (isMute) this.changing.delete(process);
				else this.world.at(back, () => process.deliver(answer));
			});
		});
	}
}

/** n8n's own words. */
const INCOMPATIBLE =
	'Deduplication Failed: Deduplication data was originally saved with an incompatible setting of ' +
	'the ‘Keep Items Where’ parameter. Try ’Clean Database’ operation to reset.';
