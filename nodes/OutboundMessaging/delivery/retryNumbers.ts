import type { Key } from './keys/keyStates';
import { type Message, contentOf, destinationOf, fingerprintOf } from './message';
import type { LedgerEntry, NodeState, SentByRetries } from './nodeState';

/**
 * Which of a customer's messages in the retries of an execution is next. The texts A, B and A have
 * the numbers 0, 1 and 2, and 0, 0 and 1 equal ones before them.
 * @param sent what the retries have sent the customer, or may have, as far as this one knows
 * @param content the next one's
 * @param known the number that it has already
 * @returns its number, the lowest that's free if it has none; and how many with the same content
 *   come before it
 */
export function numberNext(
	sent: Array<Pick<SentByRetries, 'nth' | 'content'>>,
	content: string,
	known?: number,
) {
	const taken = new Set(sent.map((each) => each.nth));
	let free = 0;
	while (taken.has(free)) free++;

	const nth = known ?? free;
	const equal = sent.filter((each) => each.nth < nth && each.content === content).length;
	return { nth, equal };
}

/**
 * Names messages for the key store: the n-th one that retries of the execution send to its
 * customer. Two clicks on Retry count alike, whatever the list and its texts are by then. So the
 * key is taken if another retry has sent the customer anything that this one doesn't know of, and
 * its content tells whether it's this message. E.g. the texts A and B, one customer, two clicks:
 *
 *   click 1   A: number 0 is free, so it's sent    B: number 1 is free, so it's sent
 *   click 2   A: number 0 is taken, by A           B: number 1 is taken, by B
 *             → skipped; noted as found            → skipped; without that note, it would have
 *                                                    asked for number 0, and found A
 */
export class RetryNumbers {
	/** What this try has found that other retries have sent. */
	private readonly sentByOthers = new Set<SentByRetries>();

	/** @param beginning the same in all retries of one execution */
	constructor(
		private readonly state: NodeState,
		private readonly beginning: string | undefined,
		private readonly runOrCall: string,
	) {}

	/** @param known the number that an earlier try gave the message */
	keyOf(message: Message, known?: number): Key {
		const customer = `${this.beginning} ${destinationOf(message)}`;
		const sent = this.sentBefore(message);
		const { nth, equal } = numberNext(sent, short(contentOf(message)), known);
		return {
			key: `retry ${customer} ${nth}`,
			content: `${customer} ${contentOf(message)} ${equal}`,
		};
	}

	/**
	 * Numbers a message that this retry sends, unless it has a number.
	 * @returns what undoes it
	 */
	begin(message: Message, entry: LedgerEntry): () => void {
		if (entry.nth !== undefined) return () => {};
		const sent = this.add(message);
		entry.nth = sent.nth;

		return () => {
			entry.nth = undefined;
			const customers = this.state.sentByRetries ?? {};
			const customer = short(destinationOf(message));
			customers[customer] = customers[customer].filter((each) => each !== sent);
		};
	}

	/** Notes that another retry has sent this very message, or may have. */
	noteFound(message: Message): void {
		this.sentByOthers.add(this.add(message, this.runOrCall));
	}

	private add(message: Message, foundIn?: string): SentByRetries {
		const content = short(contentOf(message));
		const before = this.sentBefore(message);
		const sent = { nth: numberNext(before, content).nth, content, foundIn };
		const customers = (this.state.sentByRetries ??= {});
		customers[short(destinationOf(message))] = [...before, sent];
		return sent;
	}

	/** Without what an earlier try of this run has found: this one finds it again. */
	private sentBefore(message: Message): SentByRetries[] {
		const sent = this.state.sentByRetries?.[short(destinationOf(message))] ?? [];
		const isOfEarlierTry = (each: SentByRetries) =>
			each.foundIn === this.runOrCall && !this.sentByOthers.has(each);
		return sent.filter((each) => !isOfEarlierTry(each));
	}
}

/** n8n stores them with a retry. If two are equal by chance, a number is left out. */
const short = (name: string) => fingerprintOf(name).slice(0, 8);
