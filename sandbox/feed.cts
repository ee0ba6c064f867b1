import type { ServerResponse } from 'node:http';
import type { Entry, Summary } from './ledger.cts';
import type { MessageBody } from './specification.cts';

const MAX_ITEMS = 500;
const FLUSH_MS = 100;
const HEARTBEAT_MS = 15_000;
const MAX_TEXT = 4_000;
const MAX_UNREAD_BYTES = 4_000_000;

type FromEntry<Name extends keyof Entry> = Pick<Entry, Name>;

/** An accepted message, as a customer would see it. */
export interface MessageItem extends FromEntry<'seq' | 'at' | 'operation' | 'recipient' | 'fault'> {
	kind: 'message';
	customerId: number;
	duplicate: boolean;
	content: MessageBody;
	/** Of a template that the sandbox knows: its text, filled. */
	text?: string;
	/** Of a template that the sandbox knows and can't fill. */
	problem?: string;
}

/** A request that wasn't accepted, and why. */
export interface RejectedItem
	extends FromEntry<'seq' | 'at' | 'operation' | 'recipient' | 'status'> {
	kind: 'rejected';
	code: string;
	reason: string;
}

export type FeedItem = MessageItem | RejectedItem;

/** Counters and settings that go along with every batch. */
export interface SandboxState {
	counters: Summary;
	faults: string[];
	basePath: string;
	headerName: string;
}

/** The live feed of the inbox page (server-sent events), gathered so that a flood stays cheap. */
export class Feed {
	readonly #clients = new Set<ServerResponse>();
	readonly #state: () => SandboxState;
	#recent: FeedItem[] = [];
	#pending: FeedItem[] = [];
	#flushTimer: NodeJS.Timeout | undefined;
	#heartbeat: NodeJS.Timeout | undefined;

	constructor(state: () => SandboxState) {
		this.#state = state;
	}

	add(item: FeedItem): void {
		this.#recent.push(clip(item));
		// Cut in bulk: shifting one by one would cost every request.
		if (this.#recent.length >= 2 * MAX_ITEMS) this.#recent = this.#recent.slice(-MAX_ITEMS);
		if (this.#clients.size === 0) return;
		this.#pending.push(this.#recent[this.#recent.length - 1]);
		if (this.#pending.length >= 2 * MAX_ITEMS) this.#pending = this.#pending.slice(-MAX_ITEMS);
		this.touch();
	}

	/** For what isn't a message. */
	touch(): void {
		if (this.#clients.size === 0) return;
		this.#flushTimer ??= setTimeout(() => this.#flush(), FLUSH_MS);
	}

	clear(): void {
		this.#recent = [];
		this.#pending = [];
		this.#send('clear', this.#state());
	}

	/** @param response stays open until the page is closed */
	attach(response: ServerResponse): void {
		response.writeHead(200, {
			'content-type': 'text/event-stream; charset=utf-8',
			'cache-control': 'no-store',
			connection: 'keep-alive',
		});
		// A page that reconnects begins again, so it never shows a message twice.
		this.#flush();
		response.write(event('hello', { ...this.#state(), items: this.#recent.slice(-MAX_ITEMS) }));
		this.#clients.add(response);
		response.once('close', () => this.#clients.delete(response));
		this.#heartbeat ??= setInterval(() => this.#write(': still here\n\n'), HEARTBEAT_MS).unref();
	}

	stop(): void {
		clearTimeout(this.#flushTimer);
		clearInterval(this.#heartbeat);
		for (const response of this.#clients) response.destroy();
		this.#clients.clear();
	}

	#flush(): void {
		clearTimeout(this.#flushTimer);
		this.#flushTimer = undefined;
		const items = this.#pending.slice(-MAX_ITEMS);
		this.#pending = [];
		this.#send('batch', { ...this.#state(), items });
	}

	#send(name: string, data: object): void {
		if (this.#clients.size > 0) this.#write(event(name, data));
	}

	/** A page that does not read is cut off; the browser reconnects on its own. */
	#write(chunk: string): void {
		for (const response of this.#clients) {
			if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
			else response.write(chunk);
		}
	}
}

function event(name: string, data: object): string {
	return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A phone doesn't show megabytes, and 500 of them would fill the memory. */
function clip<T>(value: T): T {
	if (typeof value === 'string')
		return (value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value) as T;
	if (value === null || typeof value !== 'object') return value;
	const fields = Object.entries(value).slice(0, 100);
	return Object.fromEntries(fields.map(([name, field]) => [name, clip<unknown>(field)])) as T;
}
