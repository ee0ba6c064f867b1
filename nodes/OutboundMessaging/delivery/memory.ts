import { randomUUID } from 'node:crypto';

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	type Beginning,
	type MessageEntry,
	type NodeState,
	type RunEntries,
	entriesOfRun,
	isUncertainEntry,
	nodeState,
} from '../n8n/nodeState';
import { type Message, contentOf, textOf } from './message';

/** What earlier tries of this run have sent, by item, recipient and URL: sent elsewhere, it's another message. */
export class Memory {
	/** How often each content has come in this try of this run. */
	private readonly timesInThisTry: Record<string, number> = {};

	/** @param runOrCall under what its entries are in this part of the state: the run index, or the call's ID */
	constructor(
		protected readonly state: NodeState,
		private readonly beginning: Beginning,
		private readonly part: 'runs' | 'calls',
		private readonly runOrCall: string,
	) {}

	/**
	 * The name of a message in the key store, for all retries of this execution; undefined in the first one, which no other
	 * repeats. Asked for once for each message of the list, in their order.
	 */
	retryKeyOf(message: Message): string | undefined {
		const { id, isRetry } = this.beginning;
		if (!isRetry) return undefined;
		const { recipient, request } = message;
		// Not by its item: the next retry may get its rows in another order.
		return `retry ${id} ${recipient} ${request.url} ${contentOf(message)} ${this.whichOfEqual(message)}`;
	}

	/** Tells equal messages apart: the first one is 0, in whichever run of the retry it comes. */
	protected whichOfEqual(message: Message): number | string {
		const content = contentOf(message);
		const runs = (this.state.equal ??= {});
		runs[this.runOrCall] = this.timesInThisTry;
		const earlier = Object.values(runs).map((times) => times[content] ?? 0);
		this.timesInThisTry[content] = (this.timesInThisTry[content] ?? 0) + 1;
		return earlier.reduce((sum, times) => sum + times, 0);
	}

	get(message: Message): MessageEntry | undefined {
		return this.entries[message.itemIndex]?.find((each) => isOf(each, message));
	}

	/** What an earlier try did with an item that can't be read now. @param url where this run sends, if that can be told */
	ofItem(itemIndex: number, url?: string): MessageEntry | undefined {
		return this.entries[itemIndex]?.find((each) => url === undefined || each.url === url);
	}

	/** How many messages earlier tries of this run have sent, or may have sent. */
	get size(): number {
		return Object.keys(this.entries).length;
	}

	/** From here until its response is classified, a message is uncertain. */
	markInFlight(message: Message): void {
		this.restore(message, entryOf(message));
	}

	rememberAccepted(message: Message, record: IDataObject): void {
		this.restore(message, { ...entryOf(message), record });
	}

	/** @param failure what made it uncertain, for the tries to come to repeat */
	rememberUncertain(message: Message, failure?: MessageEntry['failure']): void {
		const entry: MessageEntry = { ...entryOf(message), text: textOf(message) };
		if (failure) {
			const { title, statusCode, code } = failure;
			entry.failure = { title, statusCode, code };
		}
		this.restore(message, entry);
	}

	/** @param entry what get() gave earlier: nothing was sent since then */
	restore(message: Message, entry: MessageEntry | undefined): void {
		const { entries } = this;
		const others = (entries[message.itemIndex] ?? []).filter((each) => !isOf(each, message));
		const all = entry ? [...others, entry] : others;
		if (all.length > 0) entries[message.itemIndex] = all;
		else delete entries[message.itemIndex];
		this.state[this.part] = { ...this.state[this.part], [this.runOrCall]: entries };
	}

	/**
	 * Ends a try of the run: a later node or run must not send what it left uncertain, also if another execution had sent it.
	 * @param uncertain the messages that ended so
	 * @param runsAgain whether n8n tries again: if not, nothing else is kept
	 */
	endTry(uncertain: Message[], runsAgain: boolean): void {
		const ofOthers = uncertain
			.filter((message) => this.get(message) === undefined)
			.map((message) => ({ ...entryOf(message), text: textOf(message) }));
		const ownUncertain = entriesOfRun(this.entries).filter(isUncertainEntry);
		const left = [...ownUncertain, ...ofOthers];

		const { leftUncertain = {} } = this.state;
		delete leftUncertain[this.runOrCall];
		if (left.length > 0) this.state.leftUncertain = { ...leftUncertain, [this.runOrCall]: left };
		if (!runsAgain) delete this.state[this.part]?.[this.runOrCall];
	}

	private get entries(): RunEntries {
		return this.state[this.part]?.[this.runOrCall] ?? {};
	}
}

function entryOf(message: Message): MessageEntry {
	const { recipient, request, askedIn } = message;
	return { recipient, url: request.url, content: contentOf(message), askedIn };
}

const isOf = (entry: MessageEntry, { recipient, request }: Message) =>
	entry.recipient === recipient && entry.url === request.url;

/** What the runs of a node left uncertain, one of them excepted. */
export function uncertainEntries(state: NodeState, exceptRun?: number): MessageEntry[] {
	const { runs = {}, leftUncertain = {} } = state;
	const others = new Set([...Object.keys(leftUncertain), ...Object.keys(runs)]);
	others.delete(String(exceptRun));
	const entries = [...others].flatMap((run) => [
		...(leftUncertain[run] ?? []),
		...entriesOfRun(runs[run]),
	]);
	return entries.filter(isUncertainEntry);
}

/**
 * Where this execution began. A Retry from the executions list that is clicked twice gives two executions the same
 * beginning: the state of the retried one, or its time if the node hadn't run in it.
 */
export function beginningOf(context: IExecuteFunctions): Beginning {
	const executionId = context.getExecutionId() ?? '';
	const retriedSince =
		context.getMode() === 'retry' ? context.getExecutionContext()?.establishedAt : undefined;

	const beginning = (nodeState(context).beginning ??= {
		id: String(retriedSince ?? randomUUID()),
		executionId,
		isRetry: retriedSince !== undefined,
	});
	// Once a retry, always one: the next click of Retry begins with this state.
	beginning.isRetry ||= beginning.executionId !== executionId;
	beginning.executionId = executionId;
	return beginning;
}

export function memoryOf(context: IExecuteFunctions): Memory {
	const runIndex = String(context.getWorkflowDataProxy(0).$runIndex);
	return new Memory(nodeState(context), beginningOf(context), 'runs', runIndex);
}

/** The memory of a run that leaves no trace. */
export const noMemory = (): Memory =>
	new Memory({}, { id: '', executionId: '', isRetry: false }, 'runs', '0');
