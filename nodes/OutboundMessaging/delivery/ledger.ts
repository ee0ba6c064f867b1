import type { IExecuteFunctions } from 'n8n-workflow';

import type { Beginning, LedgerEntry, NodeState, RunEntries } from '../n8n/nodeState';
import { beginningOf, nodeState } from '../n8n/nodeState';
import { type Message, contentOf, customerOf } from './message';

/** An item of a list, as far as it can be read. */
export interface Listed {
	itemIndex: number;
	/** Where its operation sends; undefined if the run was rejected before that was known. */
	url?: string;
	/** See customerOf(); undefined if its recipient can't be read. */
	customer?: string;
	/** A fingerprint; undefined if it can't become a message. */
	content?: string;
}

/** An entry of the ledger, and whose it is. */
export interface Known {
	customer: string;
	entry: LedgerEntry;
}

/** An item as it was read: its message, or at least its recipient. */
interface Read {
	message?: Message;
	recipient?: string;
}

/** By what an item and an entry belong together; the first rule that finds an entry decides. */
const MATCHED_BY: Array<(of: Listed) => string | number | undefined> = [
	// Whatever became of the order.
	({ customer, content }) => content && `${customer} ${content}`,
	// Also for an item that can't be read now: it uses up the entry.
	({ itemIndex }) => itemIndex,
	// A text that has changed, in a list that has changed.
	({ customer, content }) => content && customer,
];

/** Finds what earlier tries did with each item of a list. Each entry is one item's at most. */
export function matchEntries(items: Listed[], known: Known[]): Map<Listed, Known> {
	const found = new Map<Listed, Known>();
	const unused = new Set(known);

	for (const nameOf of MATCHED_BY) {
		const named = new Map<unknown, Known[]>();
		for (const each of unused) {
			const name = nameOf({ customer: each.customer, ...each.entry });
			named.set(name, named.get(name) ?? []);
			named.get(name)?.push(each);
		}

		for (const item of items) {
			const name = found.has(item) ? undefined : nameOf(item);
			const match = name === undefined ? undefined : named.get(name)?.shift();
			if (match === undefined || !mayBelong(item, match)) continue;
			found.set(item, match);
			unused.delete(match);
		}
	}

	return found;
}

const mayBelong = ({ customer, url = '' }: Listed, known: Known) =>
	customer === undefined ? known.customer.endsWith(url) : customer === known.customer;

/** How many messages each customer has. */
type Counts = Record<string, number>;

/**
 * Which of its customer's messages each item is, counted from 0 since the retry began.
 * @param customers of the items of a list; undefined where the recipient can't be read
 * @param otherRuns what the retry's other runs have counted
 */
export function numberMessages(customers: Array<string | undefined>, otherRuns: Counts[]) {
	const counts: Counts = {};

	const numbers = customers.map((customer = '') => {
		const before = otherRuns.reduce((sum, run) => sum + (run[customer] ?? 0), 0);
		const inThisRun = counts[customer] ?? 0;
		counts[customer] = inThisRun + 1;
		return before + inThisRun;
	});

	return { numbers, counts };
}

/** What became of the messages of one run of the node, or of one call of an agent's tool. */
export class Ledger {
	private readonly entryOf = new Map<Message, LedgerEntry>();

	/**
	 * @param run the run index, or the call's ID
	 * @param hasNoId whether a model gives its calls no ID: one with the same content is the same call
	 */
	constructor(
		private readonly state: NodeState,
		private readonly beginning: Beginning | undefined,
		private readonly run: string,
		private readonly hasNoId = false,
	) {}

	/**
	 * Finds what earlier tries did with the items of a list.
	 * @param url where they go; undefined if the run was rejected before that was known
	 * @returns it by item index
	 */
	match(items: Read[], url?: string): Map<number, LedgerEntry> {
		const known = allOf(this.entries);
		const byIndex = new Map<number, LedgerEntry>();
		if (known.length === 0 && !this.hasNoId) return byIndex;

		known.sort((one, other) => one.entry.itemIndex - other.entry.itemIndex);
		const list = items.map(
			({ message, recipient }, itemIndex): Listed => ({
				itemIndex,
				url,
				customer: recipient && url && customerOf(recipient, url),
				content: message && contentOf(message),
			}),
		);
		const found = matchEntries(list, known);

		for (const item of list) {
			const entry = found.get(item)?.entry ?? this.repeated(item);
			if (entry === undefined) continue;
			byIndex.set(item.itemIndex, entry);
			// In the next try, the list's order is this one.
			entry.itemIndex = item.itemIndex;
			const { message } = items[item.itemIndex];
			if (message) this.entryOf.set(message, entry);
		}
		return byIndex;
	}

	/** An equal call that was accepted. */
	private repeated({ customer, content }: Listed): LedgerEntry | undefined {
		if (!this.hasNoId) return undefined;
		const equal = this.allRuns().filter((known) => known.customer === customer);
		return equal.find(({ entry }) => entry.record && entry.content === content)?.entry;
	}

	/**
	 * Names the messages of a list for the key store: two clicks on Retry give the same names, whatever
	 * the texts are by then. In an execution that isn't a retry, no other one repeats them.
	 */
	nameForRetries(items: Read[], url: string): void {
		if (this.beginning?.isRetry !== true) return;
		const runs = (this.state.numbered ??= {});
		delete runs[this.run];
		const customers = items.map(({ recipient }) => recipient && customerOf(recipient, url));
		const { numbers, counts } = numberMessages(customers, Object.values(runs));

		runs[this.run] = counts;
		for (const [index, { message }] of items.entries()) {
			if (!message) continue;
			message.retryKey = `retry ${this.beginning.id} ${customers[index]} ${numbers[index]}`;
		}
	}

	get(message: Message): LedgerEntry | undefined {
		return this.entryOf.get(message);
	}

	/** Notes that a request is in flight, which makes the message uncertain. @returns what undoes it */
	begin(message: Message): () => void {
		const before = this.get(message);
		this.set(message, entryFor(message));
		return () => this.set(message, before);
	}

	/** Notes how a request ended that may have sent its message. */
	end(message: Message, { record, failure }: Pick<LedgerEntry, 'record' | 'failure'>): void {
		this.set(message, { ...entryFor(message), record, failure: failure && brief(failure) });
	}

	private set(message: Message, entry: LedgerEntry | undefined): void {
		const entries = ((this.state.ledger ??= {})[this.run] ??= {});
		const customer = customerOf(message.recipient, message.request.url);
		const others = entries[customer]?.filter((each) => each !== this.get(message)) ?? [];
		entries[customer] = entry ? [...others, entry] : others;
		if (entries[customer].length === 0) delete entries[customer];

		if (entry) this.entryOf.set(message, entry);
		else this.entryOf.delete(message);
	}

	/**
	 * Ends a try of the run: keeps what later runs must not send.
	 * @param uncertain the messages that ended so, also those that a key or an item told of
	 * @param runsAgain whether n8n tries again: if not, no accepted message is kept
	 */
	endTry(uncertain: Message[], runsAgain: boolean): void {
		if (runsAgain) return;
		for (const message of uncertain) {
			if (!this.get(message)) this.set(message, entryFor(message));
		}

		for (const [customer, entries] of Object.entries(this.entries)) {
			this.entries[customer] = entries.filter(isUncertain);
			if (this.entries[customer].length === 0) delete this.entries[customer];
		}
	}

	/** Tells whether this node left an equal message to the same customer uncertain in another run. */
	uncertainInOtherRun(): (message: Message) => boolean {
		const uncertain = this.allRuns(this.run).filter(({ entry }) => isUncertain(entry));
		const names = new Set(uncertain.map(({ customer, entry }) => `${customer} ${entry.content}`));
		if (names.size === 0) return () => false;
		return (message) => {
			const customer = customerOf(message.recipient, message.request.url);
			return names.has(`${customer} ${contentOf(message)}`);
		};
	}

	/** Whether any message to the same recipient may have been sent in this execution. */
	hasUncertain({ recipient }: Message): boolean {
		return this.allRuns().some(
			({ customer, entry }) => customer.startsWith(`${recipient} `) && isUncertain(entry),
		);
	}

	private allRuns(except?: string): Known[] {
		const runs = Object.entries(this.state.ledger ?? {});
		return runs.flatMap(([run, entries]) => (run === except ? [] : allOf(entries)));
	}

	private get entries(): RunEntries {
		return this.state.ledger?.[this.run] ?? {};
	}
}

const allOf = (entries: RunEntries): Known[] =>
	Object.entries(entries).flatMap(([customer, some]) => some.map((entry) => ({ customer, entry })));

const isUncertain = ({ record }: LedgerEntry) => record === undefined;

function entryFor(message: Message): LedgerEntry {
	const { itemIndex, askedIn } = message;
	return { itemIndex, content: contentOf(message), askedIn };
}

const brief = ({ title, statusCode, code }: NonNullable<LedgerEntry['failure']>) => ({
	title,
	statusCode,
	code,
});

export function ledgerOf(context: IExecuteFunctions): Ledger {
	const runIndex = String(context.getWorkflowDataProxy(0).$runIndex);
	return new Ledger(nodeState(context), beginningOf(context), runIndex);
}

/** The ledger of a run that leaves no trace. */
export const noLedger = (): Ledger => new Ledger({}, undefined, '0');
