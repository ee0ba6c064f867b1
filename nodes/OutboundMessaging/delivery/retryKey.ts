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
	const isRetry = context.getMode() === 'retry';
	const retriedSince = isRetry ? context.getExecutionContext()?.establishedAt : undefined;
	const named = retriedSince === undefined ? { id: randomUUID() } : { retriedSince };
	const beginning = (state.beginning ??= {
		...named,
		executionId,
		isRetry: retriedSince !== undefined,
	});
	// Once a retry, always one: the next click of Retry begins with this state.
	beginning.isRetry ||= beginning.executionId !== executionId;
	beginning.executionId = executionId;
	return beginning;
}

/**
 * Names a message for all executions that began alike; undefined in the first execution, which no other one repeats.
 * @param runOrCall which run of the node, or which call of an agent
 * @param equalBefore how many equal messages come before it in the list
 */
export function retryKey(
	{ id, retriedSince, isRetry }: Beginning,
	runOrCall: string,
	message: Message,
	equalBefore: number,
): string | undefined {
	const { itemIndex, recipient, request } = message;
	// Without an ID, the node before may read its rows in another order: Ada's row is the first one now, the second one then.
	const which = id === undefined ? `${contentOf(message)} ${equalBefore}` : itemIndex;
	const name = `retry ${id ?? retriedSince} ${runOrCall} ${which} ${recipient} ${request.url}`;
	return isRetry ? name : undefined;
}
