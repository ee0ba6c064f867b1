import type { IExecuteFunctions } from 'n8n-workflow';

import { type Counts, nodeState } from '../n8n/nodeState';
import type { Message } from '../delivery/message';
import type { Outcome } from '../delivery/outcome';

/** The first item of a recipient, and its run, if that's another one, e.g. another turn of a loop. */
export interface FirstItem {
	firstItemIndex: number;
	firstRunIndex?: number;
}

interface HowToCount {
	/** A dry run counts apart: a retry of it may be in earnest. */
	isDryRun: boolean;
	/** The execution becomes larger by each recipient: only where repeated ones matter. */
	keepsRecipients: boolean;
	/** The ID of an agent's call: n8n gives each try of a call a new run index. */
	callId?: string;
}

/** Begins to count a run: what its earlier try counted as failed, and what a dry run counted, is counted again. */
export function beginRun(context: IExecuteFunctions, how: HowToCount): ExecutionState {
	const { isDryRun, keepsRecipients, callId } = how;
	const state = nodeState(context);
	const part = isDryRun ? 'dryRunCounts' : 'counts';
	const nothing = { sent: 0, testMessages: 0, hasAccepted: false, failures: {}, recipients: {} };
	const counts: Counts = { ...nothing, ...state[part] };
	state[part] = counts;

	const runIndex = callId ?? Number(context.getWorkflowDataProxy(0).$runIndex);
	const executionId = context.getExecutionId();
	const isSameExecution = counts.executionId === executionId;
	const isSameRun = isSameExecution && counts.runIndex === runIndex;
	counts.runIndex = runIndex;
	counts.executionId = executionId;
	// A retry from the executions list is a new start.
	if (!isSameExecution) {
		counts.hasAccepted = false;
		counts.failures = {};
	}
	// Calls of an agent can alternate: A, B, then A tries again.
	delete counts.failures[runIndex];
	if (isDryRun) recountDryRun(counts, isSameRun);
	return new ExecutionState(counts, runIndex, keepsRecipients);
}

/** Messages that were sent stay sent, but another try of a dry run shows them again. */
function recountDryRun(counts: Counts, isSameRun: boolean): void {
	const { sent, testMessages, before = { sent, testMessages } } = counts;
	if (isSameRun) Object.assign(counts, before);
	else counts.before = { sent, testMessages };
}

/** What the safeguards count over a whole execution: all runs of the node in a loop, all tries, and its retries. */
export class ExecutionState {
	/** Messages whose requests have begun, and not ended. */
	private readonly inFlight = new Set<Message>();

	constructor(
		readonly counts: Counts,
		private readonly runIndex: number | string,
		private readonly keepsRecipients: boolean,
	) {}

	/** How many messages in a row were rejected or uncertain, up to the newest one. */
	get failuresInRow(): number {
		return Object.values(this.counts.failures).reduce((sum, count) => sum + count, 0);
	}

	/** How many other messages this execution has sent, or is sending. */
	sentBesides(message: Message): number {
		const others = this.inFlight.size - (this.inFlight.has(message) ? 1 : 0);
		return this.counts.sent + others;
	}

	begin(message: Message): void {
		this.inFlight.add(message);
	}

	/** Counts how a message ended, or in a dry run how it would. */
	count(outcome: Outcome, message: Message): void {
		this.inFlight.delete(message);
		const { delivery } = outcome;
		if (delivery === 'skipped') {
			if (outcome.isByRetry) this.countSent(message);
			return;
		}
		if (delivery === 'notAttempted') return;
		if (delivery !== 'rejected') this.countRecipient(message);
		if (outcome.fromPreviousTry) return;
		this.countFailure(delivery === 'accepted');
		const isSent = delivery === 'accepted' || (delivery === 'uncertain' && !outcome.notResent);
		if (isSent && !message.wasCounted) this.countSent(message);
	}

	private countSent(message: Message): void {
		this.countRecipient(message);
		this.counts.sent += 1;
		if (message.tested) this.counts.testMessages += 1;
	}

	private countRecipient(message: Message): void {
		if (!this.keepsRecipients) return;
		this.counts.recipients[recipientName(message)] ??= [this.runIndex, message.itemIndex];
	}

	private countFailure(isAccepted: boolean): void {
		const { counts, runIndex } = this;
		if (isAccepted) {
			counts.hasAccepted = true;
			counts.failures = {};
		} else {
			counts.failures[runIndex] = (counts.failures[runIndex] ?? 0) + 1;
		}
	}

	/** Another item whose message the recipient got earlier in this execution. */
	earlierItemFor(message: Message): FirstItem | undefined {
		const [runIndex, firstItemIndex] = this.counts.recipients[recipientName(message)] ?? [];
		const isOfThisRun = runIndex === this.runIndex;
		if (firstItemIndex === undefined) return undefined;
		if (isOfThisRun && firstItemIndex === message.itemIndex) return undefined;
		// The calls of a tool have no run that anyone could look up.
		if (isOfThisRun || typeof runIndex !== 'number') return { firstItemIndex };
		return { firstItemIndex, firstRunIndex: runIndex };
	}
}

/** The item's own recipient, in a test run too. Not a mere number: an object would sort those to its beginning. */
const recipientName = (message: Message) => `to ${(message.tested ?? message).recipient}`;
