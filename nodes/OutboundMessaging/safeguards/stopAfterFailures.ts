import type { Delivery } from '../delivery/sending';
import { type Failed, failed, isFailed, TELL_A_PERSON } from '../delivery/outcome';
import { twoLines } from '../common/twoLines';
import { number } from '../fields/field';
import type { ExecutionState } from './executionState';

/** So many messages in a row that were rejected or uncertain end the run; 0 for never. It acts while messages are sent. */
export const stopAfterFailures = {
	field: number(
		'Stop After Failures',
		'Stop after this many rejected or uncertain messages in a row, if On Error is set to continue. 0 means never.',
		{ preset: 25, min: 0, max: 1000000, whole: true },
	),
};

/** Counts how messages end, and ends a run in which nothing is accepted, before a mistake costs hundreds of messages. */
export function countingWhileSending(
	{ limit, maxConcurrency }: { limit: number; maxConcurrency: number },
	state: ExecutionState,
): Pick<Delivery, 'maxInFlight' | 'stopReason' | 'onOutcome'> {
	const { counts } = state;
	const isReached = () => limit > 0 && state.failuresInRow >= limit;
	return {
		maxInFlight: () => {
			if (limit === 0 || counts.hasAccepted) return maxConcurrency;
			// Until the first message is accepted, no more are in flight than may still fail.
			return Math.min(maxConcurrency, Math.max(1, limit - state.failuresInRow));
		},
		// The runs before this one in the execution may have reached the limit.
		stopReason: () => (isReached() ? tooManyFailures(limit) : undefined),
		onOutcome: (outcome, message) => {
			state.count(outcome, message);
			return isReached() && isFailed(outcome) ? tooManyFailures(limit, outcome) : undefined;
		},
	};
}

function tooManyFailures(limit: number, last?: Failed): Failed {
	const failure = last?.failure;
	const messages = limit === 1 ? "A message wasn't" : `${limit} messages in a row weren't`;
	const why = failure ? `. The last one: ${failure.title}` : '';
	const text = twoLines`${messages} accepted ('Stop After Failures')${why}
		Fix the cause, then send only the items that failed again, e.g. those on the error output`;
	return failed('notAttempted', text, {
		...failure,
		isUnsent: false,
		reason: 'stopAfterFailures',
		forAgents: { step: TELL_A_PERSON },
	});
}
