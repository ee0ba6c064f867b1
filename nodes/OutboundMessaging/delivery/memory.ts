import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isObject } from '../service/record';
import type { Message } from './message';

/** What is known of a message from an earlier try: its record, or that it is uncertain. */
export type Known = { delivery: 'accepted'; record: IDataObject } | { delivery: 'uncertain' };

interface Entry extends IDataObject {
	recipient: string;
	/** Missing while the message is uncertain. */
	record?: IDataObject;
}

/**
 * What earlier tries of this run have sent, so that a retry sends nothing again. n8n keeps the node's context through
 * Retry On Fail and through a Retry from the executions list, and shares it between the runs of a loop: entries stand
 * under run index and item index, and count only for the same recipient.
 */
export class Memory {
	constructor(
		private readonly store: IDataObject,
		private readonly runIndex: number,
	) {}

	get({ itemIndex, recipient }: Message): Known | undefined {
		const entry = this.entries()[itemIndex];
		if (!isObject(entry) || entry.recipient !== recipient) return undefined;
		return isObject(entry.record)
			? { delivery: 'accepted', record: entry.record }
			: { delivery: 'uncertain' };
	}

	/** From the moment the request leaves until its answer is judged, a message is uncertain. */
	markInFlight({ itemIndex, recipient }: Message): void {
		this.entries()[itemIndex] = { recipient } satisfies Entry;
	}

	accepted({ itemIndex, recipient }: Message, record: IDataObject): void {
		this.entries()[itemIndex] = { recipient, record } satisfies Entry;
	}

	delete({ itemIndex }: Message): void {
		delete this.entries()[itemIndex];
	}

	/** Nothing is left to retry: the stored execution need not carry the records a second time. */
	forget(): void {
		delete this.store[this.key];
	}

	private get key(): string {
		return `run${this.runIndex}`;
	}

	private entries(): IDataObject {
		const entries = this.store[this.key];
		if (isObject(entries)) return entries;
		return (this.store[this.key] = {});
	}
}

/** Calls of an AI agent, by the arguments object that n8n keeps through the tries of one call. */
const toolCalls = new WeakMap<object, IDataObject>();

/**
 * The memory of this run. As a tool the node gets a new run index for each try of a call, so there the call
 * itself is the key; two calls with the same words stay two calls.
 */
export function memoryOf(context: IExecuteFunctions): Memory {
	if (!isToolCall(context)) {
		const runIndex = Number(context.getWorkflowDataProxy(0).$runIndex);
		return new Memory(context.getContext('node'), runIndex);
	}
	const [call] = context.getInputData();
	const store = toolCalls.get(call.json) ?? {};
	toolCalls.set(call.json, store);
	return new Memory(store, 0);
}

/** Older releases of n8n do not say so, but only the context of such a call tells the next run index. */
function isToolCall(context: IExecuteFunctions): boolean {
	return context.isToolExecution?.() ?? 'getNextRunIndex' in context;
}
