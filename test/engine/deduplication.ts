/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import assert from 'node:assert/strict';
import type {
	DeduplicationItemTypes,
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

interface Row {
	mode: string;
	data: string[];
}

/**
 * n8n's deduplication store without its database, and no kinder than the real one: a row per node that is read,
 * changed and written with time in between; the first group of a row is not looked through for its own duplicates; a
 * second first write fails, and nothing works without the ID of a saved workflow.
 */
export class Deduplication implements IDataDeduplicator {
	private rows = new Map<string, string>();
	/** What the store was asked for, in the order of asking. */
	readonly calls: Array<{ method: 'check' | 'remove'; keys: string[] }> = [];
	/** Milliseconds that a read and a write take. */
	latency = 0;
	/** Makes the next calls of a kind fail, as a database does that is gone. */
	readonly broken = { check: false, remove: false };

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
		options: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		assert.ok(contextData.workflow.id);
		assert.equal(scope, 'node');
		this.calls.push({ method: 'check', keys: items.map(String) });
		if (this.broken.check) throw new Error('SQLITE_BUSY: database is locked');
		const key = keyOf(contextData);
		const keys = items.map(String);
		const row = await this.read(key);
		assert.equal(row?.mode ?? options.mode, options.mode);
		if (!row) {
			await this.insert(key, { mode: options.mode, data: newest(keys, options) });
			return { new: items, processed: [] };
		}
		const known = new Set(row.data);
		const output: IDeduplicationOutput = { new: [], processed: [] };
		keys.forEach((value, index) => {
			if (known.has(value)) {
				output.processed.push(items[index]);
			} else {
				output.new.push(items[index]);
				row.data.push(value);
			}
		});
		await this.write(key, { ...row, data: newest(row.data, options) });
		return output;
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		_scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
	): Promise<void> {
		assert.ok(contextData.workflow.id);
		this.calls.push({ method: 'remove', keys: items.map(String) });
		if (this.broken.remove) throw new Error('SQLITE_BUSY: database is locked');
		const key = keyOf(contextData);
		const row = await this.read(key);
		if (!row) return;
		for (const value of items.map(String)) {
			const index = row.data.indexOf(value);
			if (index !== -1) row.data.splice(index, 1);
		}
		await this.write(key, row);
	}

	async clearAllProcessedItems(
		_scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
	): Promise<void> {
		this.rows.delete(keyOf(contextData));
	}

	async getProcessedDataCount(
		_scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
	): Promise<number> {
		return (await this.read(keyOf(contextData)))?.data.length ?? 0;
	}

	/** The keys that are claimed now, of all nodes. */
	claimed(): string[] {
		return [...this.rows.values()].flatMap((row) => (JSON.parse(row) as Row).data);
	}

	reset(): void {
		this.rows.clear();
		this.calls.length = 0;
		this.latency = 0;
		Object.assign(this.broken, { check: false, remove: false });
	}

	private async read(key: string): Promise<Row | undefined> {
		await pause(this.latency);
		const row = this.rows.get(key);
		return row === undefined ? undefined : (JSON.parse(row) as Row);
	}

	private async insert(key: string, row: Row): Promise<void> {
		await pause(this.latency);
		assert.ok(!this.rows.has(key), 'SQLITE_CONSTRAINT: UNIQUE constraint failed');
		this.rows.set(key, JSON.stringify(row));
	}

	private async write(key: string, row: Row): Promise<void> {
		await pause(this.latency);
		this.rows.set(key, JSON.stringify(row));
	}
}

function keyOf({ workflow, node }: ICheckProcessedContextData): string {
	return `${workflow.id} n:${node?.id}`;
}

function newest(data: string[], { maxEntries }: ICheckProcessedOptions): string[] {
	return maxEntries ? data.slice(-maxEntries) : data;
}

/** Even at no latency others get a turn, as with a database. */
async function pause(milliseconds: number): Promise<void> {
	await new Promise<void>((resolve) => {
		if (milliseconds > 0) setTimeout(resolve, milliseconds);
		else setImmediate(resolve);
	});
}
