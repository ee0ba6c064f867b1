import { randomUUID } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { type Beginning, nodeState } from '../n8n/nodeState';

/**
 * Where this execution began. A Retry from the executions list that is clicked twice gives two executions the same
 * beginning: the state of the retried one, or its time if the node hadn't run in it.
 */
export function beginningOf(context: IExecuteFunctions): Beginning {
	const executionId = context.getExecutionId() ?? '';
	const retriedSince =
		context.getMode() === 'retry' ? context.getExecutionContext()?.establishedAt : undefined;

	const beginning = (nodeState(context).beginning ??= {
		id: String(retriedSince ?? randomUUID()),
		executionId,
		isRetry: retriedSince !== undefined,
	});
	// Once a retry, always one: the next click of Retry begins with this state.
	beginning.isRetry ||= beginning.executionId !== executionId;
	beginning.executionId = executionId;
	return beginning;
}
