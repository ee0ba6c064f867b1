import type { IExecuteFunctions } from 'n8n-workflow';

import { type Message, type Outcome, contentOf, ownMessage } from '../delivery/message';
import {
	type CountedItem,
	type Counts,
	type CountsOf,
	nodeState,
	total,
} from '../delivery/nodeState';

/**
 * The first item of a recipient, and its run, if that's another one, e.g. another batch of a loop.
 */
export interface FirstItem {
	firstItemIndex: number;
	firstRunIndex?: number;
}

/**
 * What the safeguards count over a whole execution: all runs of the node in a loop, all tries,
 * and its retries.
 */
export class ExecutionState {
	readonly counts: Counts;
	/** Messages that have a place among those that may be sent, and haven't ended. */
	private readonly withPlace = new Set<Message>();
	/** The first item of each recipient in the list that is judged, with Reject. */
	private readonly planned: Record<string, CountedItem> = {};

	/**
	 * Begins to count a run. A new try of a dry run counts again what would be sent.
	 * @param run its index, or the ID of an agent's call: n8n gives each try of a
	 *   call a new run index
	 * @param keepsRecipients whether the recipients matter: the execution becomes
	 *   larger by each of them
	 */
	constructor(
		context: IExecuteFunctions,
		readonly run: number | string,
		countsOf: CountsOf,
		private readonly keepsRecipients: boolean,
	) {
		const counts = (nodeState(context).counts ??= {});
		this.counts = counts[countsOf] ??= { sent: {}, recipients: {} };
		if (countsOf === 'dryRun') delete this.counts.sent[run];
	}

	/**
	 * Takes a place among the messages that the execution may send, until the message ends.
	 * @returns whether there is one
	 */
	takePlace(message: Message, limit: number): boolean {
		this.withPlace.add(message);
		const hasPlace = total(this.counts.sent) + this.withPlace.size <= limit;
		if (!hasPlace) this.withPlace.delete(message);
		return hasPlace;
	}

	/** Whether others hold all places, and not all of these are used up yet. */
	waitsForPlace(message: Message, limit: number): boolean {
		const sent = total(this.counts.sent);
		const isFull = sent + this.withPlace.size >= limit;
		return isFull && sent < limit && !this.withPlace.has(message);
	}

	/**
	 * Counts how a message ended, or in a dry run how it would.
	 *
	 *   outcome                 origin           its recipient has it   sent
	 *   accepted or uncertain   this try         yes                    +1
	 *   accepted or uncertain   earlierTry       yes
	 *   uncertain               otherRetry       yes
	 *   skipped                 otherRetry       yes                    +1
	 *   all others
	 *
	 * What an earlier try has counted as sent isn't counted again when it's sent again.
	 */
	count(outcome: Outcome, message: Message): void {
		this.withPlace.delete(message);
		const { delivery, origin } = outcome;
		const isSkipped = delivery === 'skipped';
		const isSent = delivery === 'accepted' || delivery === 'uncertain';
		const hasIt = isSkipped ? origin === 'otherRetry' : isSent && origin !== 'otherExecution';
		if (!hasIt) return;

		this.keepRecipient(message, delivery === 'uncertain');
		const isNew = isSkipped || origin === undefined;
		if (isNew && !wasCounted(message)) increase(this.counts.sent, this.run);
	}

	private keepRecipient(message: Message, isUncertain: boolean): void {
		const name = recipientName(message);
		const { recipients } = this.counts;
		const isCertain = recipients[name] && recipients[name].uncertain === undefined;
		if (!this.keepsRecipients || isCertain) return;
		const uncertain = isUncertain ? contentOf(message) : undefined;
		recipients[name] = { run: this.run, itemIndex: message.itemIndex, uncertain };
	}

	/** Notes the first item of a recipient in the list that is judged. */
	plan(message: Message): void {
		this.planned[recipientName(message)] ??= { run: this.run, itemIndex: message.itemIndex };
	}

	/**
	 * Another item for the same recipient: one whose message was sent earlier in this execution, or
	 * is planned. An uncertain message that this one resends isn't another one.
	 */
	earlierItemFor(message: Message): FirstItem | undefined {
		const name = recipientName(message);
		const sent = this.counts.recipients[name];
		const other = sent && this.isResentBy(message, sent) ? undefined : sent;
		const first = other ?? this.planned[name];
		if (first === undefined) return undefined;
		const { run, itemIndex: firstItemIndex } = first;
		if (run === this.run && firstItemIndex === message.itemIndex) return undefined;
		// The calls of a tool have no run that anyone could look up.
		const isOtherRun = run !== this.run && typeof run === 'number';
		return { firstItemIndex, firstRunIndex: isOtherRun ? run : undefined };
	}

	/** In its own run, the ledger knows it: its row may have moved, and its text changed. */
	private isResentBy(message: Message, { run, uncertain }: CountedItem): boolean {
		if (uncertain === undefined) return false;
		return run === this.run ? wasCounted(message) : uncertain === contentOf(message);
	}
}

/** Whether an earlier try of its run has begun to send it: then it isn't counted again. */
export const wasCounted = ({ before }: Message) => before?.by === 'ledger';

export function increase(byRun: Record<string, number>, run: number | string): void {
	byRun[run] = (byRun[run] ?? 0) + 1;
}

/** The item's own recipient, in a test run too. */
const recipientName = (message: Message) => ownMessage(message).recipient;
