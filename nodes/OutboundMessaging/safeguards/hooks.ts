import type { Delivery } from '../delivery/delivery';
import type { Message } from '../delivery/message';
import type { Outcome } from '../delivery/outcome';
import type { AllowedHours } from './allowedHours';
import type { Safeguards } from './applySafeguards';
import { outsideAllowedHours } from './applySafeguards';
import type { ExecutionState } from './executionState';
import { StopAfterFailures } from './stopAfterFailures';

/** What the safeguards need of a planned run. */
interface GuardedRun {
	safeguards: Safeguards & { resendUncertain: boolean; stopAfterFailures: number };
	state: ExecutionState;
	allowedHours: Array<AllowedHours | undefined>;
	settings: { maxConcurrency: number };
}

type Hooks = Pick<
	Delivery,
	'maxInFlight' | 'resendUncertain' | 'stopReason' | 'beforeRequest' | 'onOutcome'
>;

/**
 * The safeguards that act while messages are sent, as delivery asks for them.
 * @param how `endsAfterFailures`: whether 'Stop After Failures' applies; in stop mode the first failure ends the run
 */
export function safeguardHooks(
	{ safeguards, state, allowedHours, settings }: GuardedRun,
	how: { endsAfterFailures: boolean; onOutcome?(outcome: Outcome): void },
): Hooks {
	const stop = new StopAfterFailures(
		how.endsAfterFailures ? safeguards.stopAfterFailures : 0,
		state,
	);
	return {
		maxInFlight: () => stop.maxInFlight(settings.maxConcurrency),
		resendUncertain: safeguards.resendUncertain,
		stopReason: stop.stopReason,
		beforeRequest: ({ itemIndex }) => outsideAllowedHours(allowedHours[itemIndex], Date.now()),
		onOutcome: (outcome, message) => {
			if (wasSent(outcome)) state.countSent(message);
			if (mayHaveArrived(outcome)) remember(message, safeguards, state);
			const stopReason = stop.onOutcome(outcome);
			how.onOutcome?.(outcome);
			return stopReason;
		},
	};
}

/** Counts the messages of a dry run, so that the runs after it show what they would do then. */
export function countDryRun({
	messages,
	safeguards,
	state,
}: Pick<GuardedRun, 'safeguards' | 'state'> & { messages: Message[] }): void {
	for (const message of messages) {
		state.countSent(message);
		remember(message, safeguards, state);
	}
}

function remember(message: Message, { repeatedRecipients }: Safeguards, state: ExecutionState) {
	if (repeatedRecipients !== 'sendAll') state.rememberRecipient(message);
}

/** Whether this try sent a message, or may have. */
function wasSent(outcome: Outcome): boolean {
	if (outcome.delivery === 'accepted') return !outcome.fromPreviousTry;
	return outcome.delivery === 'uncertain' && !outcome.fromPreviousTry && !outcome.notResent;
}

/** Whether the recipient may have the message, whichever try or execution sent it. */
function mayHaveArrived(outcome: Outcome): boolean {
	if (outcome.delivery === 'skipped') return outcome.reason === 'alreadySent';
	return outcome.delivery === 'accepted' || outcome.delivery === 'uncertain';
}
