import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Message } from '../delivery/message';
import type { Outcome } from '../delivery/outcome';

/**
 * What the safeguards count over a whole execution: all runs of the node in a loop, all tries, and a Retry from the
 * executions list. Kept in the node's context, like the memory of a retry.
 */
export class ExecutionState {
	/**
	 * @param store what n8n keeps; changed in place
	 * @param tryOf names the run and the execution; failures count anew in a retry from the executions list
	 */
	constructor(
		private readonly store: IDataObject,
		private readonly tryOf: { runIndex: number | string; executionId: string },
	) {
		const { runIndex, executionId } = tryOf;
		if (store.executionId !== executionId) {
			Object.assign(store, { failuresInRow: 0, hasAccepted: false, runIndex: undefined });
		}
		const { failuresInRow, hasAccepted, before } = store;
		const isSameRun = store.runIndex === runIndex;
		// A try of the same run counts from where the run began, so that one message counts once.
		if (isSameRun) Object.assign(store, before);
		else store.before = { failuresInRow, hasAccepted };
		Object.assign(store, { runIndex, executionId });
	}

	/** How many messages were sent in this execution, uncertain ones included. */
	get sent(): number {
		return this.number('sent');
	}

	/** How many messages went to the test recipient. */
	get testMessages(): number {
		return this.number('testMessages');
	}

	/** How many messages in a row were rejected or uncertain, up to the newest one. */
	get failuresInRow(): number {
		return this.number('failuresInRow');
	}

	get hasAccepted(): boolean {
		return this.store.hasAccepted === true;
	}

	/**
	 * Counts a message that was sent, or may have been.
	 * @param how `remembersRecipient`: whether repeated recipients matter; a list of all of them makes the execution larger
	 */
	countOutcome(
		outcome: Outcome,
		message: Message,
		{ remembersRecipient, isTest }: { remembersRecipient: boolean; isTest: boolean },
	): void {
		const { delivery } = outcome;
		if (delivery !== 'accepted' && delivery !== 'uncertain') return;
		if (outcome.fromPreviousTry) return;
		this.store.sent = this.sent + 1;
		if (isTest) this.store.testMessages = this.testMessages + 1;
		if (remembersRecipient) this.rememberRecipient(message.recipient, message.itemIndex);
	}

	countEnd(isAccepted: boolean): void {
		this.store.failuresInRow = isAccepted ? 0 : this.failuresInRow + 1;
		if (isAccepted) this.store.hasAccepted = true;
	}

	/**
	 * Another item whose message a recipient got earlier in this execution.
	 * @param itemIndex of the item that asks
	 * @returns the other item's index, in its own run
	 */
	earlierItemFor(recipient: string, itemIndex: number): number | undefined {
		const use = this.recipients()[`to ${recipient}`];
		if (!Array.isArray(use)) return undefined;
		const isItself = use[0] === this.tryOf.runIndex && use[1] === itemIndex;
		return isItself ? undefined : Number(use[1]);
	}

	rememberRecipient(recipient: string, itemIndex: number): void {
		this.recipients()[`to ${recipient}`] ??= [this.tryOf.runIndex, itemIndex];
	}

	private recipients(): IDataObject {
		const { recipients } = this.store;
		if (typeof recipients === 'object' && recipients !== null) return recipients as IDataObject;
		return (this.store.recipients = {});
	}

	private number(name: string): number {
		const value = this.store[name];
		return typeof value === 'number' ? value : 0;
	}
}

/**
 * The state of the running execution, in the node's context.
 * @param callId of a call as a tool of an AI agent: n8n gives each try of a call a new run index
 */
export function executionStateOf(context: IExecuteFunctions, callId?: string): ExecutionState {
	const node = context.getContext('node');
	const store = (node.safeguards ??= {}) as IDataObject;
	const runIndex = callId ?? Number(context.getWorkflowDataProxy(0).$runIndex);
	return new ExecutionState(store, { runIndex, executionId: context.getExecutionId() ?? '' });
}
