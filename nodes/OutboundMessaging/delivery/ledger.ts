import type { IExecuteFunctions } from 'n8n-workflow';

import { type Key, ownKey } from './keys/keyStates';
import { type Message, contentOf, destinationOf } from './message';
import type { Beginning, LedgerEntry, NodeState } from './nodeState';
import { continueBeginning, nodeState } from './nodeState';
import { RetryNumbers } from './retryNumbers';

/**
 * An item of a list, as far as it can be read: without a recipient and content, it can't be sent.
 */
export type Listed = Pick<LedgerEntry, 'itemIndex'> &
	Partial<Pick<LedgerEntry, 'recipient' | 'content'>>;

/** One way to tell that an entry is an item's. The first one that finds an entry decides. */
interface MatchingRule {
	/** Whether it's for items that can be read. */
	isForReadable: boolean;
	nameOf(of: Listed): string;
}

const RULES: MatchingRule[] = [
	{
		isForReadable: true,
		nameOf: ({ recipient, content, itemIndex }) => `${recipient} ${content} ${itemIndex}`,
	},
	{ isForReadable: false, nameOf: ({ itemIndex }) => String(itemIndex) },
	// The list has another order.
	{ isForReadable: true, nameOf: ({ recipient, content }) => `${recipient} ${content}` },
	// The text has changed.
	{ isForReadable: true, nameOf: ({ recipient, itemIndex }) => `${recipient} ${itemIndex}` },
	// Its row and its text have changed: it's still no second message to this customer.
	{ isForReadable: true, nameOf: ({ recipient = '' }) => recipient },
];

/** An item that can't be read may have no recipient to compare. */
const mayBeOf = ({ recipient }: Listed, entry: LedgerEntry) =>
	recipient === undefined || recipient === entry.recipient;

/** Finds what earlier tries did with each item of a list. Each entry is one item's at most. */
export function matchEntries(items: Listed[], entries: LedgerEntry[]): Map<Listed, LedgerEntry> {
	const found = new Map<Listed, LedgerEntry>();
	const unused = new Set(entries);

	for (const { isForReadable, nameOf } of RULES) {
		const named = new Map<string, LedgerEntry[]>();
		for (const entry of unused) {
			const same = named.get(nameOf(entry)) ?? [];
			named.set(nameOf(entry), same);
			same.push(entry);
		}

		for (const item of items) {
			const isReadable = item.content !== undefined;
			if (found.has(item) || isReadable !== isForReadable) continue;

			const entry = named.get(nameOf(item))?.shift();
			if (entry === undefined || !mayBeOf(item, entry)) continue;
			found.set(item, entry);
			unused.delete(entry);
		}
	}

	return found;
}

/** An item as it was read: its message, or at least its recipient. */
interface Read {
	message?: Message;
	recipient?: string;
}

/** What became of the messages of one run of the node, or of one call of an agent's tool. */
export class Ledger {
	private readonly entryOf = new Map<Message, LedgerEntry>();
	private readonly isRetry: boolean;
	private readonly numbers: RetryNumbers;

	/**
	 * @param runOrCall the run index, or the call's ID
	 * @param hasNoId whether a model gives its calls no ID: one with the same content
	 *   is the same call
	 */
	constructor(
		private readonly state: NodeState,
		beginning: Beginning | undefined,
		private readonly runOrCall: string,
		private readonly hasNoId = false,
	) {
		this.isRetry = beginning?.isRetry === true;
		this.numbers = new RetryNumbers(state, beginning?.id, runOrCall);
	}

	/**
	 * Finds what earlier tries did with the items of a list.
	 * @param url where they go; undefined if the run was rejected before that was known
	 * @returns it by item index
	 */
	match(items: Read[], url?: string): Map<number, LedgerEntry> {
		const byIndex = new Map<number, LedgerEntry>();
		const ofUrl = (entry: LedgerEntry) => entry.url === (url ?? entry.url);
		const entries = this.entries().filter(ofUrl);
		const equalCalls = this.hasNoId ? this.allEntries().filter(ofUrl) : [];
		if (entries.length + equalCalls.length === 0) return byIndex;

		entries.sort((one, other) => one.itemIndex - other.itemIndex);
		const list = items.map(
			({ message, recipient }, itemIndex): Listed => ({
				itemIndex,
				recipient,
				content: message && contentOf(message),
			}),
		);
		const matches = matchEntries(list, entries);

		for (const item of list) {
			const isEqual = ({ recipient, content, record }: LedgerEntry) =>
				record && recipient === item.recipient && content === item.content;
			const entry = matches.get(item) ?? equalCalls.find(isEqual);
			if (entry === undefined) continue;
			byIndex.set(item.itemIndex, entry);
			// In the next try, the list's order is this one.
			entry.itemIndex = item.itemIndex;
			const { message } = items[item.itemIndex];
			if (message) this.entryOf.set(message, entry);
		}
		return byIndex;
	}

	/**
	 * The keys of a message. The one for retries comes first: if another retry has sent it, the
	 * outcome says so.
	 */
	keysOf(message: Message): Key[] {
		const own = ownKey(message);
		const retry = this.isRetry ? [this.numbers.keyOf(message, this.get(message)?.nth)] : [];
		return own === undefined ? retry : [...retry, { key: own }];
	}

	/** Another retry has sent this very message, or may have. */
	noteFound(message: Message): void {
		this.numbers.noteFound(message);
	}

	get(message: Message): LedgerEntry | undefined {
		return this.entryOf.get(message);
	}

	/**
	 * Notes that a request is in flight, which makes the message uncertain.
	 * @returns what undoes it
	 */
	begin(message: Message): () => void {
		const known = this.get(message);
		const before = known && { ...known };
		this.note(message);

		const entry = this.get(message)!;
		const undoNumber = this.isRetry ? this.numbers.begin(message, entry) : undefined;

		return () => {
			undoNumber?.();
			if (before) Object.assign(entry, before);
			else this.remove(message, entry);
		};
	}

	private remove(message: Message, entry: LedgerEntry): void {
		const entries = this.entries();
		entries.splice(entries.indexOf(entry), 1);
		this.entryOf.delete(message);
	}

	/** Notes how a request ended that may have sent its message; without an end, it's in flight. */
	note(message: Message, { record, failure }: Partial<LedgerEntry> = {}): void {
		const { itemIndex, askedIn, recipient, request } = message;
		const { title, statusCode, code } = failure ?? {};
		const entry = {
			...{ recipient, url: request.url, itemIndex, content: contentOf(message), askedIn, record },
			failure: title === undefined ? undefined : { title, statusCode, code },
		};

		const known = this.get(message);
		if (known) {
			Object.assign(known, entry);
		} else {
			((this.state.ledger ??= {})[this.runOrCall] ??= []).push(entry);
			this.entryOf.set(message, entry);
		}
	}

	/**
	 * Keeps what later runs must not send, and forgets what no try of this run asks for any more.
	 * @param uncertain the messages that ended so, also those that a key or an item told of
	 */
	endRun(uncertain: Message[]): void {
		for (const message of uncertain) if (!this.get(message)) this.note(message);
		if (this.state.ledger) this.state.ledger[this.runOrCall] = this.entries().filter(isUncertain);
	}

	/**
	 * Tells whether this node left an equal message to the same customer uncertain in another run.
	 */
	uncertainInOtherRun(): (message: Message) => boolean {
		const uncertain = this.allEntries(this.runOrCall).filter(isUncertain);
		const names = new Set(
			uncertain.map(({ recipient, url, content }) => `${recipient} ${url} ${content}`),
		);
		return (message) =>
			names.size > 0 && names.has(`${destinationOf(message)} ${contentOf(message)}`);
	}

	/** Whether any message to the same recipient may have been sent in this execution. */
	hasUncertain({ recipient }: Message): boolean {
		return this.allEntries().some((each) => each.recipient === recipient && isUncertain(each));
	}

	private allEntries(exceptOfRun?: string): LedgerEntry[] {
		const runs = Object.entries(this.state.ledger ?? {});
		return runs.flatMap(([run, entries]) => (run === exceptOfRun ? [] : entries));
	}

	private entries(): LedgerEntry[] {
		return this.state.ledger?.[this.runOrCall] ?? [];
	}
}

const isUncertain = ({ record }: LedgerEntry) => record === undefined;

/** A retry takes up the run that failed, with its index; the loop's other runs come after it. */
export function ledgerOf(context: IExecuteFunctions): Ledger {
	const runIndex = String(context.getWorkflowDataProxy(0).$runIndex);
	return new Ledger(nodeState(context), continueBeginning(context), runIndex);
}

/** The ledger of a run that leaves no trace. */
export const noLedger = (): Ledger => new Ledger({}, undefined, '0');
