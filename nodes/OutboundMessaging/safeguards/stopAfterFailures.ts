import type { SendSettings } from '../delivery/sending';
import { type Failed, failed } from '../delivery/message';
import { twoLines } from '../common/failure';
import { number } from '../parameters/field';
import { type Failures, total } from '../delivery/nodeState';
import { type ExecutionState, increase } from './executionState';

/**
 * So many messages in a row that were rejected or uncertain end the run; 0 for never. It acts while
 * messages are sent.
 */
export const stopAfterFailures = number(
	'Stop After Failures',
	'Stop after this many rejected or uncertain messages in a row, if On Error is set to ' +
		'continue. Later batches of a loop send one message each until one is accepted. 0 means never.',
	{ preset: 25, min: 0, max: 1000000, whole: true },
	{ isOffAtZero: true },
);

/** So many customers' messages in doubt show that the service is down, if it has accepted none. */
const MOST_IN_DOUBT = 3;

/**
 * Counts how messages end, and ends a run in which nothing is accepted, before a mistake costs
 * hundreds of messages.
 * @param limit the safeguard's value, 0 where a failure ends the run anyway
 */
export function countOutcomes(
	state: ExecutionState,
	executionId: string,
	limit: number,
	isToolCall: boolean,
): Pick<SendSettings, 'isServiceUp' | 'onOutcome' | 'stopReason'> {
	const failures = beginCounting(state, executionId);
	const failuresLeft = () => (limit > 0 ? limit - total(failures.inARow) : Infinity);

	return {
		// Where the runs before this one have reached the limit, one message shows
		// whether it works again.
		isServiceUp: () => failures.hasAccepted && !failures.isInDoubt && failuresLeft() > 0,

		// All calls of an agent together are one run.
		stopReason: () => (isToolCall && failuresLeft() <= 0 ? tooManyFailures(limit) : undefined),

		onOutcome: (outcome, message) => {
			state.count(outcome, message);
			const { delivery } = outcome;
			if (delivery === 'skipped' || delivery === 'notAttempted') return undefined;
			// E.g. a message of an earlier execution, which says nothing about the service now.
			if (outcome.origin) return undefined;

			if (delivery === 'accepted') {
				Object.assign(failures, { hasAccepted: true, isInDoubt: false, inARow: {} });
				return undefined;
			}

			increase(failures.inARow, state.run);
			if (delivery === 'uncertain') {
				noteInDoubt(failures, message.recipient);
				// In a loop, each later run tries one.
				if (isDown(failures)) return serviceDown(outcome);
			}
			return failuresLeft() <= 0 ? tooManyFailures(limit, outcome) : undefined;
		},
	};
}

/** Continues what this execution has counted, without what an earlier try of this run added. */
function beginCounting({ counts, run }: ExecutionState, executionId: string): Failures {
	// A call of an MCP client has no execution ID.
	if (!counts.failures || counts.failures.executionId !== executionId) {
		counts.failures = {
			executionId,
			hasAccepted: false,
			isInDoubt: false,
			inDoubt: [],
			inARow: {},
		};
	}
	delete counts.failures.inARow[run];
	return counts.failures;
}

function noteInDoubt(failures: Failures, recipient: string): void {
	failures.isInDoubt = true;
	if (failures.hasAccepted || failures.inDoubt.includes(recipient)) return;
	failures.inDoubt.push(recipient);
}

const isDown = ({ hasAccepted, inDoubt }: Failures): boolean =>
	!hasAccepted && inDoubt.length >= MOST_IN_DOUBT;

function serviceDown({ failure }: Failed): Failed {
	const text = twoLines`The service accepted nothing, and ${MOST_IN_DOUBT} messages got no clear \
			response. The last one: ${failure.title}
		Execute this step again when the service works, with the rows that are \
			'notAttempted' in 'details.delivery'`;
	return failed('notAttempted', text, { ...failure, isUnsent: false, reason: 'serviceDown' });
}

function tooManyFailures(limit: number, last?: Failed): Failed {
	const failure = last?.failure;
	const messages = limit === 1 ? "A message wasn't" : `${limit} messages in a row weren't`;
	const why = failure ? `. The last one: ${failure.title}` : '';
	const text = twoLines`${messages} accepted ('Stop After Failures')${why}
		Fix the cause, then send the failed items again, but none with 'uncertain' in \
			'details.delivery' or 'details.code'`;
	const more = { ...failure, isUnsent: false, reason: 'stopAfterFailures' } as const;
	return failed('notAttempted', text, more);
}
