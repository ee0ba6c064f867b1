import type { Delivery } from '../delivery/sending';
import { type Failed, failed, isFailed } from '../delivery/outcome';
import { twoLines } from '../common/errorText';
import { number } from '../fields/field';
import { total } from '../n8n/nodeState';
import type { ExecutionState } from './executionState';

/** So many messages in a row that were rejected or uncertain end the run; 0 for never. It acts while messages are sent. */
export const stopAfterFailures = number(
	'Stop After Failures',
	'Stop after this many rejected or uncertain messages in a row, if On Error is set to continue. Later batches of a loop send one message each until one is accepted. 0 means never.',
	{ preset: 25, min: 0, max: 1000000, whole: true },
	{ isOffAtZero: true },
);

/**
 * Counts how messages end, and ends a run in which nothing is accepted, before a mistake costs hundreds of messages.
 * @param limit the safeguard's value, 0 where a failure ends the run anyway
 */
export function countingWhileSending(
	state: ExecutionState,
	limit: number,
	maxConcurrency: number,
	isToolCall: boolean,
): Pick<Delivery, 'maxConcurrency' | 'onOutcome' | 'stopReason'> {
	const failuresLeft = () => (limit > 0 ? limit - total(state.counts.failures) : Infinity);
	return {
		maxConcurrency: () => {
			const left = failuresLeft();
			if (state.counts.hasAccepted && left > 0) return maxConcurrency;
			// Until the first message is accepted, no more are in flight than may still fail. Where the runs before this one have
			// reached the limit, one message shows whether the service works again.
			return Math.max(1, Math.min(maxConcurrency, left));
		},
		// All calls of an agent together are one run.
		stopReason: () => (isToolCall && failuresLeft() <= 0 ? tooManyFailures(limit) : undefined),
		onOutcome: (outcome, message) => {
			const before = failuresLeft();
			state.count(outcome, message);
			// What doesn't count, such as a message of an earlier execution, doesn't end the run either.
			const isTooMany = isFailed(outcome) && failuresLeft() < before && failuresLeft() <= 0;
			return isTooMany ? tooManyFailures(limit, outcome) : undefined;
		},
	};
}

function tooManyFailures(limit: number, last?: Failed): Failed {
	const failure = last?.failure;
	const messages = limit === 1 ? "A message wasn't" : `${limit} messages in a row weren't`;
	const why = failure ? `. The last one: ${failure.title}` : '';
	const text = twoLines`${messages} accepted ('Stop After Failures')${why}
		Fix the cause, then send the failed items again, but none with 'uncertain' in 'details.delivery' or 'details.code'`;
	const more = { ...failure, isUnsent: false, reason: 'stopAfterFailures' } as const;
	return failed('notAttempted', text, more);
}
