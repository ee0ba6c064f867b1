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

import { inRealTime } from './virtualTime';

/** What the second entry of a key begins with. */
const MARK = '\u0000in flight ';

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
	/** What the rows of nodes were asked for, in the order of asking. */
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
		this.note('check', items, scope);
		if (this.broken.check && scope === 'node') throw new Error('SQLITE_BUSY: database is locked');
		const key = keyOf(contextData, scope);
		const keys = items.map(String);
		const row = await this.read(key);
		if (row && row.mode !== options.mode) {
			throw new Error('Deduplication data was originally saved with an incompatible setting');
		}
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
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
	): Promise<void> {
		assert.ok(contextData.workflow.id);
		this.note('remove', items, scope);
		if (this.broken.remove && scope === 'node') throw new Error('SQLITE_BUSY: database is locked');
		const key = keyOf(contextData, scope);
		const row = await this.read(key);
		if (!row) return;
		for (const value of items.map(String)) {
			const index = row.data.indexOf(value);
			if (index !== -1) row.data.splice(index, 1);
		}
		await this.write(key, row);
	}

	async clearAllProcessedItems(
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
	): Promise<void> {
		await pause(this.latency);
		this.rows.delete(keyOf(contextData, scope));
	}

	async getProcessedDataCount(
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
	): Promise<number> {
		return (await this.read(keyOf(contextData, scope)))?.data.length ?? 0;
	}

	/** The keys that are not free now, of all nodes, oldest first. */
	claimed(): string[] {
		return [...new Set(this.entries().map((entry) => entry.replace(MARK, '')))];
	}

	/** Those of them whose message is in flight or uncertain. */
	uncertain(): string[] {
		const marks = this.entries().filter((entry) => entry.startsWith(MARK));
		return marks.map((entry) => entry.replace(MARK, ''));
	}

	private entries(): string[] {
		const ofNodes = [...this.rows].filter(([key]) => key.includes(' n:'));
		return ofNodes.flatMap(([, row]) => (JSON.parse(row) as Row).data);
	}

	/** Whether something is left in the row of a workflow. */
	hasWorkflowRow(workflowId: string): boolean {
		return this.rows.has(`${workflowId} `);
	}

	reset(): void {
		this.rows.clear();
		this.calls.length = 0;
		this.latency = 0;
		Object.assign(this.broken, { check: false, remove: false });
	}

	private note(
		method: 'check' | 'remove',
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
	): void {
		if (scope === 'node') this.calls.push({ method, keys: items.map(String) });
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

/** A row for each node, and one for the workflow as a whole. */
function keyOf({ workflow, node }: ICheckProcessedContextData, scope: DeduplicationScope): string {
	return scope === 'node' ? `${workflow.id} n:${node?.id}` : `${workflow.id} `;
}

function newest(data: string[], { maxEntries }: ICheckProcessedOptions): string[] {
	return maxEntries ? data.slice(-maxEntries) : data;
}

/** Even at no latency others get a turn, as with a database. */
async function pause(milliseconds: number): Promise<void> {
	const paused = new Promise<void>((resolve) => {
		if (milliseconds > 0) setTimeout(resolve, milliseconds);
		else setImmediate(resolve);
	});
	await inRealTime(paused);
}
