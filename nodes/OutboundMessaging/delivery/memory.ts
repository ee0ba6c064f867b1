import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	type Beginning,
	type MessageEntry,
	type NodeState,
	type RunEntries,
	entriesOfRun,
	isUncertain,
	nodeState,
} from '../n8n/nodeState';
import { type Message, contentOf, ownKey, textOf } from './message';
import { beginningOf, retryKey } from './retryKey';

/** What earlier tries of this run have sent, by item, recipient and URL: sent elsewhere, it's another message. */
export class Memory {
	/** Which of several equal messages of the execution each one is, counted from 0. */
	private readonly occurrences = new WeakMap<Message, number>();
	/** How often each content has come in this try of this run. */
	private readonly timesInThisTry: Record<string, number> = {};

	/** @param runOrCall under what its entries are in this part of the state: the run index, or the call's ID */
	constructor(
		protected readonly state: NodeState,
		private readonly beginning: Beginning,
		private readonly part: 'runs' | 'calls',
		private readonly runOrCall: string,
	) {}

	/** Tells equal messages of a retry apart. Needs each message of the list, in their order. */
	countEqual(message: Message): void {
		if (!this.beginning.isRetry) return;
		this.state.equal ??= {};
		this.state.equal[this.runOrCall] = this.timesInThisTry;

		const content = contentOf(message);
		const times = Object.values(this.state.equal).map((run) => run[content] ?? 0);
		const earlier = times.reduce((sum, count) => sum + count, 0);
		this.occurrences.set(message, earlier);
		this.timesInThisTry[content] = (this.timesInThisTry[content] ?? 0) + 1;
	}

	/**
	 * The names of a message in the key store: in a retry one for the message itself, and its send-once key. In this order: what
	 * another retry of this execution has sent isn't what was sent before the execution.
	 */
	keysOf(message: Message): string[] {
		// Not by its place: the next retry may get its rows in another order.
		const name = `${placeOf(message)} ${contentOf(message)} ${this.occurrenceOf(message)}`;
		const keys = [retryKey(this.beginning, name), ownKey(message)];
		return keys.filter((key) => key !== undefined);
	}

	/** Tells a message from equal ones, in all executions that began alike. */
	protected occurrenceOf(message: Message): number | string {
		return this.occurrences.get(message) ?? 0;
	}

	get(message: Message): MessageEntry | undefined {
		return this.entries[message.itemIndex]?.[placeOf(message)];
	}

	/** What an earlier try did with an item that can't be read now. @param url where this run sends, if that can be told */
	ofItem(itemIndex: number, url?: string): MessageEntry | undefined {
		const entries = Object.values(this.entries[itemIndex] ?? {});
		return entries.find((each) => url === undefined || each.url === url);
	}

	/** How many messages earlier tries of this run have sent, or may have sent. */
	get size(): number {
		return Object.keys(this.entries).length;
	}

	/** From here until its response is classified, a message is uncertain. */
	markInFlight(message: Message): MessageEntry {
		const entry = entryOf(message);
		const entries = this.entries;
		entries[message.itemIndex] = { ...entries[message.itemIndex], [placeOf(message)]: entry };
		this.state[this.part] = { ...this.state[this.part], [this.runOrCall]: entries };
		return entry;
	}

	rememberAccepted(message: Message, record: IDataObject): void {
		const entry = this.get(message) ?? this.markInFlight(message);
		entry.record = record;
	}

	/** @param failure what made it uncertain, for the tries to come to repeat */
	rememberUncertain(message: Message, failure?: MessageEntry['failure']): void {
		const entry = this.get(message) ?? this.markInFlight(message);
		entry.text = textOf(message);
		if (failure === undefined) return;
		const { title, statusCode, code } = failure;
		entry.failure = { title, statusCode, code };
	}

	/** The message was certainly not sent. */
	delete(message: Message): void {
		const item = this.entries[message.itemIndex];
		if (item === undefined) return;
		delete item[placeOf(message)];
		if (Object.keys(item).length === 0) delete this.entries[message.itemIndex];
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
		const ownUncertain = entriesOfRun(this.entries).filter(isUncertain);
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

/** Under what an item's message is kept. */
const placeOf = ({ recipient, request }: Message) => `${recipient} ${request.url}`;

/** What the runs of a node left uncertain, one of them excepted. */
export function uncertainEntries({ runs = {}, leftUncertain = {} }: NodeState, exceptRun?: number) {
	const others = <T>(all: Record<string, T>) =>
		Object.entries(all).flatMap(([run, of]) => (run === String(exceptRun) ? [] : [of]));
	return [...others(leftUncertain).flat(), ...others(runs).flatMap(entriesOfRun)].filter(
		isUncertain,
	);
}

export function memoryOf(context: IExecuteFunctions): Memory {
	const runIndex = String(context.getWorkflowDataProxy(0).$runIndex);
	return new Memory(nodeState(context), beginningOf(context), 'runs', runIndex);
}

/** The memory of a run that leaves no trace. */
export const noMemory = (): Memory =>
	new Memory({}, { id: '', executionId: '', isRetry: false }, 'runs', '0');
