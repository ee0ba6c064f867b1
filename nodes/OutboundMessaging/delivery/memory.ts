import { hash, randomUUID } from 'node:crypto';

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isObject } from '../common/isObject';
import { mapInTurns } from '../common/eventLoop';
import type { Failure } from './outcome';
import type { Message } from './message';

/** What is kept of a failure that left a message uncertain. */
type UncertainFailure = Pick<Failure, 'title' | 'statusCode' | 'code'>;

/** One message as n8n stores it. Without a record it's uncertain; without a failure too, its request is in flight. */
export interface MessageEntry extends IDataObject {
	recipient: string;
	url: string;
	content: string;
	/** Of an uncertain message, a fingerprint of what the customer reads, where the node knows it. */
	text?: string;
	record?: IDataObject;
	/** What made it uncertain. */
	failure?: UncertainFailure;
}

/**
 * What earlier tries of this run have sent, so that a retry doesn't send it again. n8n keeps a node's context through
 * Retry On Fail and through a Retry from the executions list, and shares it between the runs of a loop. So entries are
 * kept by run index and item index, and apply to the same recipient at the same URL only: sent elsewhere, or by another
 * operation, it's another message.
 */
export class Memory {
	private readonly runKey: string;
	/** How many equal messages come before one in the list. */
	private readonly equalBefore = new WeakMap<Message, number>();

	/**
	 * @param store what n8n keeps; changed in place
	 * @param executionId of the running execution
	 * @param retriedSince in a Retry from the executions list: when the execution began that was retried first
	 */
	constructor(
		protected readonly store: IDataObject,
		runIndex: number | string,
		executionId: string,
		retriedSince?: number,
	) {
		this.runKey = `run${runIndex}`;
		if (store.id === undefined) {
			// If the node hadn't run before a Retry is clicked twice, both executions have only this time in common.
			const isRetry = retriedSince !== undefined;
			Object.assign(store, { id: retriedSince ?? randomUUID(), isRetry, executionId });
		}
		// It stays so: whoever clicks Retry on this execution can click twice, and both begin with this memory.
		if (store.executionId !== executionId) Object.assign(store, { executionId, isRetry: true });
	}

	/** Tells equal messages of the list apart, for retryKey. */
	async countEqual(messages: Message[]): Promise<void> {
		if (typeof this.store.id !== 'number') return;
		const counts = new Map<string, number>();
		await mapInTurns(messages, (message) => {
			const same = `${contentOf(message)} ${placeOf(message)}`;
			const count = counts.get(same) ?? 0;
			this.equalBefore.set(message, count);
			counts.set(same, count + 1);
		});
	}

	/**
	 * Names a message for all executions that began with this memory, or with none when n8n had not run this node yet.
	 * Undefined in the first execution: only a Retry from the executions list, clicked twice, gives two executions the
	 * same beginning.
	 */
	retryKey(message: Message): string | undefined {
		const { id, isRetry } = this.store;
		if (isRetry !== true) return undefined;
		const { itemIndex, recipient, request } = message;
		// A time is no ID: two executions can begin at once. And the node before may read its rows in another order now.
		const which =
			typeof id === 'number'
				? `${contentOf(message)} ${this.equalBefore.get(message) ?? 0}`
				: itemIndex;
		return `retry ${String(id)} ${this.runKey} ${which} ${recipient} ${request.url}`;
	}

	/** What an earlier try did with this message; undefined when it didn't send it. */
	get(message: Message): MessageEntry | undefined {
		const entry = this.itemOf(message.itemIndex)[placeOf(message)];
		return isObject(entry) ? (entry as MessageEntry) : undefined;
	}

	/**
	 * What an earlier try did with an item that can't be read now.
	 * @param url where this run sends; undefined when that can't be told either
	 */
	ofItem(itemIndex: number, url?: string): MessageEntry | undefined {
		return Object.values(this.itemOf(itemIndex)).find(
			(each) => isObject(each) && (url === undefined || each.url === url),
		) as MessageEntry | undefined;
	}

	/** How many messages earlier tries of this run have sent, or may have sent. */
	get size(): number {
		return Object.keys(this.entriesOfRun ?? {}).length;
	}

	/** From here until its response is classified, a message is uncertain. */
	markInFlight(message: Message): MessageEntry {
		const { itemIndex, recipient, request } = message;
		const entry: MessageEntry = { recipient, url: request.url, content: contentOf(message) };
		const run = this.entriesOfRun ?? (this.store[this.runKey] = {});
		run[itemIndex] = { ...this.itemOf(itemIndex), [placeOf(message)]: entry };
		return entry;
	}

	accepted(message: Message, record: IDataObject): void {
		(this.get(message) ?? this.markInFlight(message)).record = record;
	}

	/** @param failure what made it uncertain, for the tries to come to repeat */
	uncertain(message: Message, failure: UncertainFailure | undefined): void {
		const entry = this.get(message) ?? this.markInFlight(message);
		entry.text = textOf(message);
		if (failure === undefined) return;
		const { title, statusCode, code } = failure;
		entry.failure = { title, statusCode, code };
	}

	/** The message was certainly not sent. */
	delete(message: Message): void {
		const item = this.itemOf(message.itemIndex);
		delete item[placeOf(message)];
		if (Object.keys(item).length === 0) delete this.entriesOfRun?.[message.itemIndex];
	}

	/**
	 * There's nothing to retry: the stored execution doesn't need the records twice. What is uncertain stays: a later
	 * node, or a later run of a loop, must not send it.
	 */
	forget(): void {
		const left = uncertainOf(this.entriesOfRun);
		if (left.length > 0) this.store[`uncertain ${this.runKey}`] = { 0: left };
		delete this.store[this.runKey];
	}

	private itemOf(itemIndex: number): IDataObject {
		const item = this.entriesOfRun?.[itemIndex];
		return isObject(item) ? item : {};
	}

	private get entriesOfRun(): IDataObject | undefined {
		const run = this.store[this.runKey];
		return isObject(run) ? run : undefined;
	}
}

/** Under what an item's message is kept. */
function placeOf({ recipient, request }: Message): string {
	return `${recipient} ${request.url}`;
}

/** All messages of one run of a node, or of one call of a tool. */
export function entriesIn(run: unknown): MessageEntry[] {
	if (!isObject(run)) return [];
	return Object.values(run)
		.flatMap((item) => Object.values(item ?? {}) as MessageEntry[])
		.filter(isObject);
}

/**
 * What the runs of a node left uncertain.
 * @param store the node's context
 * @param exceptRun the index of a run to leave out
 */
export function uncertainEntries(store: IDataObject, exceptRun?: number): MessageEntry[] {
	return Object.entries(store)
		.filter(([key]) => /^(?:uncertain )?run\d+$/.test(key) && key !== `run${exceptRun}`)
		.flatMap(([, run]) => uncertainOf(run));
}

function uncertainOf(run: unknown): MessageEntry[] {
	return entriesIn(run).filter(({ record }) => !isObject(record));
}

const fingerprints = new WeakMap<Message, string>();

/** A short fingerprint, made once: the content itself would make the stored execution large. */
export function contentOf(message: Message): string {
	const known = fingerprints.get(message);
	if (known !== undefined) return known;
	const { recipient, request } = message;
	// One customer, however the number or the ID is written.
	const written = { customer_id: undefined, customer_phone: undefined };
	const fingerprint = fingerprintOf(JSON.stringify({ ...request.body, ...written, recipient }));
	fingerprints.set(message, fingerprint);
	return fingerprint;
}

/** A fingerprint of what the customer reads; undefined where the node doesn't know it. */
export function textOf({ text }: Message): string | undefined {
	return text === undefined ? undefined : fingerprintOf(text);
}

/** Short, and as good as the text itself for comparing. */
export function fingerprintOf(text: string): string {
	return hash('sha256', text, 'base64').slice(0, 16);
}

/** The memory of this run. */
export function memoryOf(context: IExecuteFunctions): Memory {
	const runIndex = Number(context.getWorkflowDataProxy(0).$runIndex);
	const executionId = context.getExecutionId() ?? '';
	return new Memory(context.getContext('node'), runIndex, executionId, retriedSince(context));
}

/** When the execution began of which this one is a Retry from the executions list; undefined if it isn't one. */
export function retriedSince(context: IExecuteFunctions): number | undefined {
	return context.getMode() === 'retry' ? context.getExecutionContext()?.establishedAt : undefined;
}
