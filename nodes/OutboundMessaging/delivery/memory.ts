import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isObject } from '../common/isObject';
import {
	type Beginning,
	type MessageEntry,
	type NodeState,
	type RunEntries,
	entriesOfRun,
	isEntry,
	isUncertain,
	nodeState,
} from '../n8n/nodeState';
import { type Message, contentOf, ownKey, textOf } from './message';
import { beginningOf, retryKey } from './retryKey';

/** What earlier tries of this run have sent, by item, recipient and URL: sent elsewhere, it's another message. */
export class Memory {
	/** How many equal messages come before one in this execution. */
	private readonly equalBefore = new WeakMap<Message, number>();
	/** How often each content has come in this try of this run. */
	private thisTry?: Record<string, number>;

	/** @param runOrCall under what its entries are in this part of the state: the run index, or the call's ID */
	constructor(
		protected readonly state: NodeState,
		private readonly beginning: Beginning,
		private readonly part: 'runs' | 'calls',
		private readonly runOrCall: string,
	) {}

	/** Tells equal messages apart, for retryKey: needs each one of the list, in their order. An agent's call has only one. */
	countEqual(message: Message): void {
		if (this.beginning.id !== undefined || this.part === 'calls') return;
		const runs = (this.state.equal ??= {});
		const thisTry = (this.thisTry ??= runs[this.runOrCall] = {});
		const content = contentOf(message);
		const before = Object.values(runs).reduce((sum, counts) => sum + (counts[content] ?? 0), 0);
		this.equalBefore.set(message, before);
		thisTry[content] = (thisTry[content] ?? 0) + 1;
	}

	/** The names of a message in the key store: its send-once key, and in a retry one for the message itself. */
	keysOf(message: Message): string[] {
		const ofRetry = retryKey(this.beginning, `${this.nameOf(message)} ${placeOf(message)}`);
		return [ownKey(message), ofRetry].filter((key) => key !== undefined);
	}

	/** What tells a message from others at its place, in all executions that began alike. @param call the agent's, in place of a run */
	protected nameOf(message: Message, call?: string): string {
		// Without an ID, the node before may read its rows in another order: Ada's row is in the first run now, in the second one next time.
		return this.beginning.id === undefined
			? `run${call ?? 0} ${contentOf(message)} ${this.equalBefore.get(message) ?? 0}`
			: `run${call ?? this.runOrCall} ${message.itemIndex}`;
	}

	get(message: Message): MessageEntry | undefined {
		const entry = this.itemOf(message.itemIndex)[placeOf(message)];
		return isEntry(entry) ? entry : undefined;
	}

	/** What an earlier try did with an item that can't be read now. @param url where this run sends, if that can be told */
	ofItem(itemIndex: number, url?: string): MessageEntry | undefined {
		const entries = Object.values(this.itemOf(itemIndex)).filter(isEntry);
		return entries.find((each) => url === undefined || each.url === url);
	}

	/** How many messages earlier tries of this run have sent, or may have sent. */
	get size(): number {
		return Object.keys(this.entries).length;
	}

	/** From here until its response is classified, a message is uncertain. */
	markInFlight(message: Message): MessageEntry {
		const { itemIndex } = message;
		const entry = entryOf(message);
		const item = { ...this.itemOf(itemIndex), [placeOf(message)]: entry };
		const runs = (this.state[this.part] ??= {});
		runs[this.runOrCall] = Object.assign(this.entries, { [itemIndex]: item });
		return entry;
	}

	rememberAccepted(message: Message, record: IDataObject): void {
		(this.get(message) ?? this.markInFlight(message)).record = record;
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
		const item = this.itemOf(message.itemIndex);
		delete item[placeOf(message)];
		if (Object.keys(item).length === 0) delete this.entries[message.itemIndex];
	}

	/** Keeps what's uncertain, through other executions too: a later node or run must not send it. After the last try, nothing else. */
	endTry(uncertain: Message[], runsAgain: boolean): void {
		const unknown = uncertain.filter((message) => this.get(message) === undefined);
		const elsewhere = unknown.map((each) => ({ ...entryOf(each), text: textOf(each) }));
		const left = [...entriesOfRun(this.entries).filter(isUncertain), ...elsewhere];
		if (left.length > 0) (this.state.leftUncertain ??= {})[this.runOrCall] = left;
		else delete this.state.leftUncertain?.[this.runOrCall];
		if (!runsAgain) delete this.state[this.part]?.[this.runOrCall];
	}

	private itemOf(itemIndex: number): Record<string, MessageEntry> {
		return recordIn(this.entries[itemIndex]);
	}

	private get entries(): RunEntries {
		return recordIn(this.state[this.part]?.[this.runOrCall]);
	}
}

/** Stored executions can be damaged. */
const recordIn = <T>(stored?: Record<string, T>) =>
	(isObject(stored) ? stored : {}) as Record<string, T>;

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
	new Memory({}, { executionId: '', isRetry: false }, 'runs', '0');
