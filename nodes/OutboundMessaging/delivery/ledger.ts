import type { IExecuteFunctions } from 'n8n-workflow';

import type { Beginning, LedgerEntry, NodeState, RunEntries } from '../n8n/nodeState';
import { beginningOf, nodeState } from '../n8n/nodeState';
import { type Message, contentOf, customerOf, fingerprintOf } from './message';

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

type Name = (of: Listed) => string | number;

/**
 * By what an item and an entry belong together. The first rule that finds an entry decides; the second one is for items
 * that can't be read now, the others for those that can.
 */
const MATCHED_BY: Name[] = [
	({ customer, content, itemIndex }) => `${customer} ${content} ${itemIndex}`,
	({ itemIndex }) => itemIndex,
	// The list has another order.
	({ customer, content }) => `${customer} ${content}`,
	// The text has changed.
	({ customer, itemIndex }) => `${customer} ${itemIndex}`,
	({ customer = '' }) => customer,
];
const UNREAD = MATCHED_BY[1];

/** Finds what earlier tries did with each item of a list. Each entry is one item's at most. */
export function matchEntries(items: Listed[], known: Known[]): Map<Listed, Known> {
	const found = new Map<Listed, Known>();
	const unused = new Set(known);

	for (const nameOf of MATCHED_BY) {
		const named = new Map<unknown, Known[]>();
		for (const each of unused) {
			const name = nameOf({ customer: each.customer, ...each.entry });
			const same = named.get(name) ?? [];
			named.set(name, same);
			same.push(each);
		}

		for (const item of items) {
			const isUnread = item.content === undefined;
			if (found.has(item) || isUnread !== (nameOf === UNREAD)) continue;
			const match = named.get(nameOf(item))?.shift();
			if (match === undefined || !mayBelong(item, match)) continue;
			found.set(item, match);
			unused.delete(match);
		}
	}

	return found;
}

const mayBelong = ({ customer, url = '' }: Listed, known: Known) =>
	customer === undefined ? known.customer.endsWith(url) : customer === known.customer;

type Counts = Record<string, number>;

/**
 * Numbers equal names, from 0.
 * @param names of a list; undefined for what isn't counted
 * @param otherRuns what the other runs have counted
 * @param counts what this one counts
 */
export const numberEqual = (
	names: Array<string | undefined>,
	otherRuns: Counts[],
	counts: Counts,
) =>
	names.map((name) => {
		if (name === undefined) return undefined;
		const before = otherRuns.reduce((sum, run) => sum + (run[name] ?? 0), 0);
		const inThisRun = counts[name] ?? 0;
		counts[name] = inThisRun + 1;
		return before + inThisRun;
	});

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
	 *
	 *   key       which of its customer's messages since the retry began
	 *   content   which of its customer's messages with this content
	 */
	nameForRetries(items: Read[], url: string): void {
		if (this.beginning?.isRetry !== true) return;
		const runs = (this.state.numbered ??= {});
		delete runs[this.run];
		const others = Object.values(runs);
		const counts: Counts = (runs[this.run] = {});

		const customers = items.map(({ recipient }) => recipient && short(customerOf(recipient, url)));
		const contents = items.map(({ message }) => message && short(`${url} ${contentOf(message)}`));
		const numbers = numberEqual(customers, others, counts);
		const ofEqual = numberEqual(contents, others, counts);

		const { id } = this.beginning;
		for (const [index, { message, recipient }] of items.entries()) {
			if (!message || !recipient) continue;
			const customer = customerOf(recipient, url);
			const content = `${id} ${customer} ${contentOf(message)} ${ofEqual[index]}`;
			message.retryKey = { key: `retry ${id} ${customer} ${numbers[index]}`, content };
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

/** n8n stores them with a retry: where two are equal, only numbers are left out. */
const short = (name: string) => fingerprintOf(name).slice(0, 8);

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
