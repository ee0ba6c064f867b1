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

/** So many customers' messages in doubt show that the service is down, if it has accepted none. */
const MOST_IN_DOUBT = 3;

/**
 * Counts how messages end, and ends a run in which nothing is accepted, before a mistake costs hundreds of messages.
 * @param limit the safeguard's value, 0 where a failure ends the run anyway
 */
export function countingWhileSending(
	state: ExecutionState,
	limit: number,
	isToolCall: boolean,
): Pick<Delivery, 'isServiceUp' | 'onOutcome' | 'stopReason'> {
	const { counts } = state;
	const failuresLeft = () => (limit > 0 ? limit - total(counts.failures) : Infinity);
	const inDoubt = new Set<string>();

	return {
		// Where the runs before this one have reached the limit, one message shows whether it works again.
		isServiceUp: () => counts.hasAccepted && !counts.isInDoubt && failuresLeft() > 0,

		// All calls of an agent together are one run.
		stopReason: () => (isToolCall && failuresLeft() <= 0 ? tooManyFailures(limit) : undefined),

		onOutcome: (outcome, message) => {
			const before = failuresLeft();
			state.count(outcome, message);
			if (!isFailed(outcome)) return undefined;

			const isOfNow = outcome.delivery === 'uncertain' && !outcome.isFromBefore;
			if (isOfNow && !counts.hasAccepted) inDoubt.add(message.recipient);
			if (inDoubt.size >= MOST_IN_DOUBT && !counts.hasAccepted) return serviceDown(outcome);

			// What doesn't count, such as a message of an earlier execution, doesn't end the run either.
			const isTooMany = failuresLeft() < before && failuresLeft() <= 0;
			return isTooMany ? tooManyFailures(limit, outcome) : undefined;
		},
	};
}

function serviceDown({ failure }: Failed): Failed {
	const text = twoLines`The service accepted nothing, and ${MOST_IN_DOUBT} messages got no clear response. The last one: ${failure.title}
		Execute this step again when the service works, with the rows that are 'notAttempted' in 'details.delivery'`;
	return failed('notAttempted', text, { ...failure, isUnsent: false, reason: 'serviceDown' });
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
