import type { Delivery } from '../delivery/deliver';
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
	'maxInFlight' | 'resendUncertain' | 'stopReason' | 'beforeStart' | 'onOutcome'
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
	const counting = {
		remembersRecipient: safeguards.repeatedRecipients !== 'sendAll',
		isTest: safeguards.testRecipient !== undefined,
	};
	return {
		maxInFlight: () => stop.maxInFlight(settings.maxConcurrency),
		resendUncertain: safeguards.resendUncertain,
		stopReason: stop.stopReason,
		beforeStart: ({ itemIndex }) => outsideAllowedHours(allowedHours[itemIndex], Date.now()),
		onOutcome: (outcome, message) => {
			state.countOutcome(outcome, message, counting);
			const stopReason = stop.onOutcome(outcome);
			how.onOutcome?.(outcome);
			return stopReason;
		},
	};
}
