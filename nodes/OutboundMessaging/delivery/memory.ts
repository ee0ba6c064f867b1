import { createHash, randomUUID } from 'node:crypto';

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isObject } from '../isObject';
import type { Failure } from './failure';
import type { Message } from './message';

/** What is kept of a failure that left a message uncertain. */
type UncertainFailure = Pick<Failure, 'title' | 'statusCode' | 'code'>;

/** What an earlier try did with a message. */
export type Remembered = (
	| { delivery: 'accepted'; record: IDataObject }
	/** `failure`: what made it uncertain; missing while its request is in flight. */
	| { delivery: 'uncertain'; failure?: UncertainFailure }
) & {
	/** Whether the message of this try has the content that the earlier try sent. */
	sameContent: boolean;
};

/** One message as n8n stores it. With neither record nor failure, its request is in flight. */
export interface Entry extends IDataObject {
	recipient: string;
	url: string;
	content: string;
	record?: IDataObject;
	failure?: IDataObject;
}

/**
 * What earlier tries of this run have sent, so that a retry doesn't send it again. n8n keeps a node's context through
 * Retry On Fail and through a Retry from the executions list, and shares it between the runs of a loop. So entries are
 * kept by run index and item index, and apply to the same recipient at the same URL only: sent elsewhere, or by another
 * operation, it's another message.
 */
export class Memory {
	private readonly runKey: string;

	/**
	 * @param store what n8n keeps; changed in place
	 * @param executionId of the running execution
	 */
	constructor(
		protected readonly store: IDataObject,
		runIndex: number | string,
		executionId: string,
	) {
		this.runKey = `run${runIndex}`;
		store.id ??= randomUUID();
		store.executionId ??= executionId;
		// Stays set: the tries of a retried execution share the memory that it began with.
		if (store.executionId !== executionId) Object.assign(store, { executionId, isRetry: true });
	}

	/**
	 * Names a message for all executions that began with this memory. Undefined in the first execution: only a Retry
	 * from the executions list, clicked twice, gives two executions the same memory.
	 */
	retryKey({ itemIndex, recipient, request }: Message): string | undefined {
		if (this.store.isRetry !== true) return undefined;
		return `retry ${String(this.store.id)} ${this.runKey} ${itemIndex} ${recipient} ${request.url}`;
	}

	/** What an earlier try did with this message; undefined when it didn't send it. */
	get(message: Message): Remembered | undefined {
		const entry = this.entryOf(message);
		return entry && remembered(entry, entry.content === contentOf(message));
	}

	/**
	 * What an earlier try did with an item that can't be read now.
	 * @param url where this run sends; undefined when that can't be told either
	 */
	ofItem(itemIndex: number, url?: string): Remembered | undefined {
		const entry = this.entriesOf(itemIndex).find((each) => url === undefined || each.url === url);
		return entry && remembered(entry, true);
	}

	/** Whether the message isn't the item's own; only a tool can be run so. */
	isForOtherItem?(message: Message): boolean;

	/** How many messages earlier tries of this run have sent, or may have sent. */
	get size(): number {
		return Object.keys(this.run ?? {}).length;
	}

	/** From here until its response is classified, a message is uncertain. */
	markInFlight(message: Message): Entry {
		const { itemIndex, recipient, request } = message;
		const entry: Entry = { recipient, url: request.url, content: contentOf(message) };
		this.createRun()[itemIndex] = [...this.othersThan(message), entry];
		return entry;
	}

	accepted(message: Message, record: IDataObject): void {
		const entry = this.entryOf(message) ?? this.markInFlight(message);
		entry.record = record;
	}

	/** @param failure what made it uncertain, for the tries to come to repeat */
	uncertain(message: Message, failure: UncertainFailure | undefined): void {
		const entry = this.entryOf(message) ?? this.markInFlight(message);
		if (failure === undefined) return;
		const { title, statusCode, code } = failure;
		entry.failure = { title, statusCode, code };
	}

	/** The message was certainly not sent. */
	delete(message: Message): void {
		const others = this.othersThan(message);
		if (others.length > 0) this.createRun()[message.itemIndex] = others;
		else delete this.run?.[message.itemIndex];
	}

	/**
	 * There's nothing to retry: the stored execution doesn't need the records twice. What is uncertain stays: a later
	 * node, or a later run of a loop, must not send it.
	 */
	forget(): void {
		const left = [...uncertainOf(this.store.uncertain), ...uncertainOf(this.run)];
		if (left.length > 0) this.store.uncertain = left;
		delete this.store[this.runKey];
	}

	private entryOf({ itemIndex, recipient, request }: Message): Entry | undefined {
		return this.entriesOf(itemIndex).find(
			(entry) => entry.recipient === recipient && entry.url === request.url,
		);
	}

	private othersThan(message: Message): Entry[] {
		const own = this.entryOf(message);
		return this.entriesOf(message.itemIndex).filter((entry) => entry !== own);
	}

	private entriesOf(itemIndex: number): Entry[] {
		const entries = this.run?.[itemIndex];
		return Array.isArray(entries) ? (entries as Entry[]).filter(isObject) : [];
	}

	private get run(): IDataObject | undefined {
		const run = this.store[this.runKey];
		return isObject(run) ? run : undefined;
	}

	private createRun(): IDataObject {
		return this.run ?? (this.store[this.runKey] = {});
	}
}

/**
 * What the runs of a node left uncertain.
 * @param store the node's context
 * @param exceptRun the index of a run to leave out
 */
export function uncertainEntries(store: IDataObject, exceptRun?: number): Entry[] {
	return Object.entries(store)
		.filter(([key]) => /^(?:run\d+|uncertain)$/.test(key) && key !== `run${exceptRun}`)
		.flatMap(([, run]) => uncertainOf(run));
}

function uncertainOf(run: unknown): Entry[] {
	const entries = Object.values(run ?? {}).flat() as Entry[];
	return entries.filter((entry) => isObject(entry) && !isObject(entry.record));
}

export function remembered({ record, failure }: Entry, sameContent: boolean): Remembered {
	return isObject(record)
		? { delivery: 'accepted', record, sameContent }
		: { delivery: 'uncertain', failure: failure as UncertainFailure | undefined, sameContent };
}

/** A short fingerprint: the content itself would make the stored execution large. */
export function contentOf({ recipient, request: { body } }: Message): string {
	// One customer, whether or not the ID has leading zeros.
	const content = 'customer_id' in body ? { ...body, customer_id: recipient } : body;
	return createHash('sha256').update(JSON.stringify(content)).digest('base64').slice(0, 16);
}

/** The memory of this run. */
export function memoryOf(context: IExecuteFunctions): Memory {
	const runIndex = Number(context.getWorkflowDataProxy(0).$runIndex);
	return new Memory(context.getContext('node'), runIndex, context.getExecutionId() ?? '');
}
