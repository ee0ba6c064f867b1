/* eslint-disable @n8n/community-nodes/no-restricted-imports,
	@n8n/community-nodes/no-restricted-globals */
import assert from 'node:assert/strict';
import type * as n8n from 'n8n-workflow';

import type { Store } from '../../nodes/OutboundMessaging/delivery/keys/lockRow';
import { Database, Process, type World } from '../unit/delivery/keyStore/world';
import { inRealTime } from './virtualTime';

/** What the last entry of a key begins with, once its message was accepted. */
const ACCEPTED = '\u0000accepted ';
/** A key is its customer's: `1000 order 1`. */
const ofCustomer = (key: string) => key.replace(/^https?:\S+ /, '');

/** Even a statement that takes no time lets others go first, as with a database. */
const at = (milliseconds: number, run: () => void) =>
	void (milliseconds > 0 ? setTimeout(run, milliseconds) : setImmediate(run));
const world = { now: 0, at } as unknown as World;
const main = new Process('n8n', world);

type Name = keyof n8n.IDataDeduplicator;
type Call = (...args: unknown[]) => Promise<unknown>;
type Around = (
	call: { name: Name; scope: n8n.DeduplicationScope; entries: string[] },
	work: () => Promise<unknown>,
) => Promise<unknown>;
const justWork: Around = async (_, work) => await work();

/**
 * n8n's deduplication store on the tables of the key store's simulation: a row for each node, and
 * one for a workflow.
 */
export class Deduplication {
	private readonly databases = new Map<string, Database>();
	/** What a test does around each call: a database may be gone, and a process busy. */
	around = justWork;

	readonly store = new Proxy({} as n8n.IDataDeduplicator, {
		get: (_, name: Name) => this.call.bind(this, name),
	});

	/** All take the entries if there are any, the scope, the context, and options. */
	private async call(name: Name, ...args: unknown[]): Promise<unknown> {
		const [context, options] = args.splice(-2) as [n8n.ICheckProcessedContextData, unknown];
		const [scope, entries = []] = args.toReversed() as [n8n.DeduplicationScope, unknown[]?];
		const store = this.storeOf(scope, context) as unknown as Record<Name, Call>;
		return await this.around({ name, scope, entries: entries.map(String) }, async () => {
			return await inRealTime(store[name](...args, options));
		});
	}

	/** The keys that are not free now, of all nodes, oldest first, each after its customer. */
	claimed(): string[] {
		return this.keys().map(ofCustomer);
	}

	/** Those of them whose message is in flight or uncertain. */
	uncertain(): string[] {
		const accepted = this.entries().filter((entry) => entry.startsWith(ACCEPTED));
		const isOpen = (key: string) => !accepted.some((entry) => entry.endsWith(` ${key}`));
		return this.keys().filter(isOpen).map(ofCustomer);
	}

	private keys(): string[] {
		return this.entries().filter((entry) => !entry.startsWith('\u0000'));
	}

	get isLocked(): boolean {
		return [...this.databases.values()].some(({ rows }) => rows.has('workflow'));
	}

	reset(): void {
		this.databases.clear();
		this.around = justWork;
	}

	entries(): string[] {
		return [...this.databases.values()].flatMap(({ rows }) => rows.get('node')?.data ?? []);
	}

	private storeOf(scope: n8n.DeduplicationScope, context: n8n.ICheckProcessedContextData): Store {
		const { workflow, node } = context;
		assert.ok(workflow.id);
		const name = scope === 'node' ? `${workflow.id} ${node?.id}` : workflow.id;
		const database = this.databases.get(name) ?? new Database(world, () => ({ there: 0, back: 0 }));
		this.databases.set(name, database);
		return database.storeOf(main);
	}
}
