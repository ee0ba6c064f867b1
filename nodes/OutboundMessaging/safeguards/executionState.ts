import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Message } from '../delivery/message';

/** The first item of a recipient. */
export interface FirstItem {
	firstItemIndex: number;
	/** Of the run that it was in, if that's another one, e.g. another turn of a loop. */
	firstRunIndex?: number;
}

/**
 * What the safeguards count over a whole execution: all runs of the node in a loop, all tries, and a Retry from the
 * executions list. Kept in the node's context, like the memory of a retry.
 */
export class ExecutionState {
	/**
	 * @param store what n8n keeps; changed in place
	 * @param tryOf names the run and the execution; failures are counted again in a retry from the executions list
	 */
	constructor(
		private readonly store: IDataObject,
		private readonly tryOf: {
			runIndex: number | string;
			executionId: string;
			isDryRun?: boolean;
		},
	) {
		const { runIndex, executionId } = tryOf;
		if (store.executionId !== executionId) {
			Object.assign(store, { failuresInRow: 0, hasAccepted: false, runIndex: undefined });
		}
		const isSameRun = store.runIndex === runIndex;
		// Retry On Fail runs the same run again. What failed in the try before is counted by this one, too: without going
		// back to where the run began, it would count twice. A message that was sent isn't sent again, so it stays counted.
		if (isSameRun) Object.assign(store, store.before);
		else store.before = { ...this.failures, ...(tryOf.isDryRun && this.messages) };
		Object.assign(store, { runIndex, executionId });
	}

	private get failures() {
		const { failuresInRow, hasAccepted } = this;
		return { failuresInRow, hasAccepted };
	}

	private get messages() {
		const { sent, testMessages } = this;
		return { sent, testMessages };
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

	/** Counts a message that was sent, or may have been; in a dry run, one that would be sent. */
	countSent({ tested }: Message): void {
		this.store.sent = this.sent + 1;
		if (tested) this.store.testMessages = this.testMessages + 1;
	}

	countAccepted(): void {
		Object.assign(this.store, { failuresInRow: 0, hasAccepted: true });
	}

	countFailure(): void {
		this.store.failuresInRow = this.failuresInRow + 1;
	}

	/**
	 * Another item whose message a recipient got earlier in this execution.
	 * @param itemIndex of the item that asks
	 */
	earlierItemFor(recipient: string, itemIndex: number): FirstItem | undefined {
		const use = this.recipients()[`to ${recipient}`];
		if (!Array.isArray(use)) return undefined;
		const [runIndex, firstItemIndex] = use as [number | string, number];
		if (runIndex !== this.tryOf.runIndex) {
			// The calls of a tool have no run that anyone could look up.
			return typeof runIndex === 'number'
				? { firstItemIndex, firstRunIndex: runIndex }
				: { firstItemIndex };
		}
		return firstItemIndex === itemIndex ? undefined : { firstItemIndex };
	}

	/** The execution becomes larger by each recipient: only where repeated ones matter. */
	rememberRecipient({ recipient, tested, itemIndex }: Message): void {
		const to = `to ${tested?.recipient ?? recipient}`;
		this.recipients()[to] ??= [this.tryOf.runIndex, itemIndex];
	}

	private recipients(): IDataObject {
		return (this.store.recipients ??= {}) as IDataObject;
	}

	private number(name: string): number {
		const value = this.store[name];
		return typeof value === 'number' ? value : 0;
	}
}

/**
 * The state of the running execution, in the node's context.
 * @param run `callId`: of a call as a tool of an AI agent: n8n gives each try of a call a new run index. `isDryRun`: what
 *   a dry run counts is kept apart, since a retry may be in earnest
 */
export function executionStateOf(
	context: IExecuteFunctions,
	{ callId, isDryRun }: { callId?: string; isDryRun: boolean },
): ExecutionState {
	const node = context.getContext('node');
	const store = (node[isDryRun ? 'dryRunSafeguards' : 'safeguards'] ??= {}) as IDataObject;
	const runIndex = callId ?? Number(context.getWorkflowDataProxy(0).$runIndex);
	const executionId = context.getExecutionId();
	return new ExecutionState(store, { runIndex, executionId, isDryRun });
}
