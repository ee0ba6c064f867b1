import type { IExecuteFunctions } from 'n8n-workflow';

import { type Key, ownKey } from './keys/keyStates';
import { type Message, contentOf, fingerprintOf } from './message';
import type { Beginning, LedgerEntry, NodeState, SentByRetries } from './nodeState';
import { continueBeginning, nodeState } from './nodeState';

/**
 * An item of a list, as far as it can be read: without a recipient and content, it can't be sent.
 */
export type Listed = Pick<LedgerEntry, 'itemIndex'> &
	Partial<Pick<LedgerEntry, 'recipient' | 'content'>>;

/** By what an item and an entry belong together. The first rule that finds an entry decides. */
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
	{ isForReadable: true, nameOf: ({ recipient = '' }) => recipient },
];

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
			if (entry === undefined || (item.recipient ?? entry.recipient) !== entry.recipient) continue;
			found.set(item, entry);
			unused.delete(entry);
		}
	}

	return found;
}

/**
 * Which of a customer's messages in the retries of an execution is next.
 * @param sent what the retries have sent the customer, or may have, as far as this one knows
 * @param content the next one's
 * @returns its number, the lowest that's free; and how many with the same content come before it
 */
export function numberNext(sent: Array<Pick<SentByRetries, 'nth' | 'content'>>, content: string) {
	const contents = new Map(sent.map((each) => [each.nth, each.content]));
	let nth = 0;
	let equal = 0;
	for (; contents.has(nth); nth++) if (contents.get(nth) === content) equal++;
	return { nth, equal };
}

/** An item as it was read: its message, or at least its recipient. */
interface Read {
	message?: Message;
	recipient?: string;
}

/** What became of the messages of one run of the node, or of one call of an agent's tool. */
export class Ledger {
	private readonly entryOf = new Map<Message, LedgerEntry>();
	private readonly found = new Set<SentByRetries>();

	/**
	 * @param run the run index, or the call's ID
	 * @param hasNoId whether a model gives its calls no ID: one with the same content
	 *   is the same call
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
		const found = matchEntries(list, entries);

		for (const item of list) {
			const isEqual = ({ recipient, content, record }: LedgerEntry) =>
				record && recipient === item.recipient && content === item.content;
			const entry = found.get(item) ?? equalCalls.find(isEqual);
			if (entry === undefined) continue;
			byIndex.set(item.itemIndex, entry);
			// In the next try, the list's order is this one.
			entry.itemIndex = item.itemIndex;
			const { message } = items[item.itemIndex];
			if (message) this.entryOf.set(message, entry);
		}
		return byIndex;
	}

	private get isRetry(): boolean {
		return this.beginning?.isRetry === true;
	}

	/**
	 * The keys of a message. The one for retries comes first: if another retry has sent it, the
	 * outcome says so.
	 */
	keysOf(message: Message): Key[] {
		const own = ownKey(message);
		const retry = this.isRetry ? [this.retryKeyOf(message)] : [];
		return own === undefined ? retry : [...retry, { key: own }];
	}

	/**
	 * Names a message for the key store: the n-th one that retries of the execution send to its
	 * customer. Two clicks on Retry count alike, whatever the list and its texts are by then. So the
	 * key is taken if another retry has sent the customer anything that this one doesn't know of, and
	 * its content tells whether it's this message.
	 */
	private retryKeyOf(message: Message): Key {
		const customer = `${this.beginning?.id} ${customerOf(message)}`;
		const sent = this.sentByRetries(message);
		const known = this.get(message)?.nth;
		const { nth, equal } = numberNext(
			known === undefined ? sent : sent.filter((each) => each.nth < known),
			short(contentOf(message)),
		);
		return {
			key: `retry ${customer} ${nth}`,
			content: `${customer} ${contentOf(message)} ${equal}`,
		};
	}

	/** Without what an earlier try of this run has found: this one finds it again. */
	private sentByRetries(message: Message): SentByRetries[] {
		const sent = this.state.sentByRetries?.[short(customerOf(message))] ?? [];
		return sent.filter((each) => each.foundIn !== this.run || this.found.has(each));
	}

	/**
	 * Notes that retries have sent a message, or may have.
	 * @param foundIn the run in which another retry's was found
	 */
	private noteSent(message: Message, foundIn?: string): SentByRetries {
		const content = short(contentOf(message));
		const { nth } = numberNext(this.sentByRetries(message), content);
		const sent = { nth, content, foundIn };
		const customers = (this.state.sentByRetries ??= {});
		const customer = short(customerOf(message));
		customers[customer] = [...this.sentByRetries(message), sent];
		return sent;
	}

	/** Another retry has sent this very message, or may have. */
	noteFound(message: Message): void {
		this.found.add(this.noteSent(message, this.run));
	}

	get(message: Message): LedgerEntry | undefined {
		return this.entryOf.get(message);
	}

	/**
	 * Notes that a request is in flight, which makes the message uncertain.
	 * @returns what undoes it
	 */
	begin(message: Message): () => void {
		const earlier = this.get(message);
		const copy = { nth: undefined, ...earlier };
		this.note(message);
		const entry = this.get(message)!;
		const isNew = this.isRetry && entry.nth === undefined;
		if (isNew) entry.nth = this.noteSent(message).nth;

		return () => {
			if (isNew) this.forgetSent(message, entry.nth);
			if (earlier) {
				Object.assign(earlier, copy);
				return;
			}

			const entries = this.entries();
			entries.splice(entries.indexOf(this.get(message)!), 1);
			this.entryOf.delete(message);
		};
	}

	private forgetSent(message: Message, nth: number | undefined): void {
		const customers = this.state.sentByRetries ?? {};
		const customer = short(customerOf(message));
		customers[customer] = customers[customer].filter((each) => each.nth !== nth);
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
			((this.state.ledger ??= {})[this.run] ??= []).push(entry);
			this.entryOf.set(message, entry);
		}
	}

	/**
	 * Keeps what later runs must not send, and forgets what no try of this run asks for any more.
	 * @param uncertain the messages that ended so, also those that a key or an item told of
	 */
	endRun(uncertain: Message[]): void {
		for (const message of uncertain) if (!this.get(message)) this.note(message);
		if (this.state.ledger) this.state.ledger[this.run] = this.entries().filter(isUncertain);
	}

	/**
	 * Tells whether this node left an equal message to the same customer uncertain in another run.
	 */
	uncertainInOtherRun(): (message: Message) => boolean {
		const uncertain = this.allEntries(this.run).filter(isUncertain);
		const names = new Set(
			uncertain.map(({ recipient, url, content }) => `${recipient} ${url} ${content}`),
		);
		return (message) => names.size > 0 && names.has(`${customerOf(message)} ${contentOf(message)}`);
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
		return this.state.ledger?.[this.run] ?? [];
	}
}

const customerOf = ({ recipient, request }: Message) => `${recipient} ${request.url}`;

const isUncertain = ({ record }: LedgerEntry) => record === undefined;

/** n8n stores them with a retry. If two are equal by chance, a number is left out. */
const short = (name: string) => fingerprintOf(name).slice(0, 8);

export function ledgerOf(context: IExecuteFunctions): Ledger {
	const runIndex = String(context.getWorkflowDataProxy(0).$runIndex);
	return new Ledger(nodeState(context), continueBeginning(context), runIndex);
}

/** The ledger of a run that leaves no trace. */
export const noLedger = (): Ledger => new Ledger({}, undefined, '0');
