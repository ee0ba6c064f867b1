import type { IExecuteFunctions } from 'n8n-workflow';

import type { Beginning, MessageEntry, NodeState, RunEntries } from '../n8n/nodeState';
import { beginningOf, entriesOfRun, isUncertainEntry, nodeState } from '../n8n/nodeState';
import { type Message, contentOf, textOf } from './message';

/** What earlier tries of this run have sent, by item, recipient and URL: to another recipient or URL, it's another message. */
export class Memory {
	/** How often each content has come in this try of this run. */
	private readonly timesInThisTry: Record<string, number> = {};

	/** @param runOrCall the key of its entries in that part of the state: the run index or the call's ID */
	constructor(
		protected readonly state: NodeState,
		private readonly beginning: Beginning,
		private readonly part: 'runs' | 'calls',
		private readonly runOrCall: string,
	) {}

	/**
	 * The name of the list's next message in the key store, for all retries of an execution; undefined in one that isn't a retry,
	 * since no other repeats it. To be called once for each message, in the order of the list: it counts.
	 */
	nextRetryKey(message: Message): string | undefined {
		const { id, isRetry } = this.beginning;
		if (!isRetry) return undefined;
		const { recipient, request } = message;
		// Not by its item: the next retry may get its rows in another order.
		return `retry ${id} ${recipient} ${request.url} ${contentOf(message)} ${this.whichOfEqual(message)}`;
	}

	/**
	 * Tells equal messages apart: the first one is 0, in whichever run of the retry it comes. Of three equal rows, two clicks on
	 * Retry both name 0, 1 and 2, so each is sent once, also if a loop reads the rows in another order the second time.
	 */
	protected whichOfEqual(message: Message): number | string {
		const content = contentOf(message);
		const runs = (this.state.equal ??= {});
		runs[this.runOrCall] = this.timesInThisTry;
		const before = Object.values(runs).reduce((sum, times) => sum + (times[content] ?? 0), 0);
		this.timesInThisTry[content] = (this.timesInThisTry[content] ?? 0) + 1;
		return before;
	}

	get(message: Message): MessageEntry | undefined {
		return this.entries[message.itemIndex]?.find((each) => isOf(each, message));
	}

	/** What an earlier try did with an item, which may be unreadable now. @param of where it sent, and to whom, as far as that's known */
	ofItem(itemIndex: number, { url, recipient }: Partial<MessageEntry> = {}) {
		const ofUrl = this.entries[itemIndex]?.filter((each) => (url ?? each.url) === each.url);
		return ofUrl?.find((each) => (recipient ?? each.recipient) === each.recipient);
	}

	/** @param end how the message ended; without it, its request is in flight, and the message is uncertain until that ends */
	remember(message: Message, { record, failure }: Pick<MessageEntry, 'record' | 'failure'> = {}) {
		this.set(message, { ...entryOf(message), record, failure: failure && brief(failure) });
	}

	/** @param entry replaces what get() gives; undefined for nothing */
	set(message: Message, entry: MessageEntry | undefined): void {
		const entries = ((this.state[this.part] ??= {})[this.runOrCall] ??= {});
		const others = (entries[message.itemIndex] ?? []).filter((each) => !isOf(each, message));
		entries[message.itemIndex] = entry ? [...others, entry] : others;
		if (entries[message.itemIndex].length === 0) delete entries[message.itemIndex];
	}

	/**
	 * Ends a try of the run: keeps what later nodes and runs must not send.
	 * @param uncertain the messages that ended so, also those that only a key or another step has left so
	 * @param runsAgain whether n8n tries again: if not, nothing else is kept
	 */
	endTry(uncertain: Message[], runsAgain: boolean): void {
		const ownUncertain = entriesOfRun(this.entries).filter(isUncertainEntry);
		const others = uncertain.filter((message) => this.get(message) === undefined);
		const left = [...ownUncertain, ...others.map(entryOf)];

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
	const { url } = request;
	return { recipient, url, content: contentOf(message), text: textOf(message), askedIn };
}

type BriefFailure = NonNullable<MessageEntry['failure']>;
const brief = ({ title, statusCode, code }: BriefFailure) => ({ title, statusCode, code });

const isOf = (entry: MessageEntry, { recipient, request }: Message) =>
	entry.recipient === recipient && entry.url === request.url;

export function memoryOf(context: IExecuteFunctions): Memory {
	const runIndex = String(context.getWorkflowDataProxy(0).$runIndex);
	return new Memory(nodeState(context), beginningOf(context), 'runs', runIndex);
}

/** The memory of a run that leaves no trace. */
export const noMemory = (): Memory =>
	new Memory({}, { id: '', executionId: '', isRetry: false }, 'runs', '0');
