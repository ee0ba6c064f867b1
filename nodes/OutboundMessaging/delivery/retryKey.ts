import { randomUUID } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import type { Beginning, NodeState } from '../common/nodeState';
import { contentOf } from './fingerprint';
import type { Message } from './message';

/**
 * Where this execution began. A Retry from the executions list that is clicked twice gives two executions the same
 * beginning: the state of the retried one, or nothing but its time if the node hadn't run in it.
 */
export function beginningOf(context: IExecuteFunctions, state: NodeState): Beginning {
	const executionId = context.getExecutionId() ?? '';
	const retriedSince =
		context.getMode() === 'retry' ? context.getExecutionContext()?.establishedAt : undefined;
	state.beginning ??=
		retriedSince === undefined
			? { id: randomUUID(), executionId, isRetry: false }
			: { retriedSince, executionId, isRetry: true };
	// Once a retry, always one: the next click of Retry begins with this state.
	if (state.beginning.executionId !== executionId) {
		Object.assign(state.beginning, { executionId, isRetry: true });
	}
	return state.beginning;
}

/**
 * Names a message for all executions that began alike; undefined in the first execution, which no other one repeats.
 * @param run which run of the node, or which call of an agent
 * @param equalBefore how many equal messages come before it in the list
 */
export function retryKey(
	{ id, retriedSince, isRetry }: Beginning,
	run: string,
	message: Message,
	equalBefore: number,
): string | undefined {
	if (!isRetry) return undefined;
	const { itemIndex, recipient, request } = message;
	// With the time alone, the item doesn't tell: the node before may read its rows in another order, e.g. Ada's row is
	// the first one in one execution, and the second one in the other.
	const which = id === undefined ? `${contentOf(message)} ${equalBefore}` : itemIndex;
	return `retry ${id ?? retriedSince} ${run} ${which} ${recipient} ${request.url}`;
}
