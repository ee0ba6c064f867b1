import type { Failed, Outcome } from '../delivery/outcome';
import type { ExecutionState } from './executionState';

/**
 * Ends a run in which nothing is accepted, before a mistake costs hundreds of messages.
 * @param limit so many messages in a row that were rejected or uncertain end the run; 0 for never
 */
export class StopAfterFailures {
	constructor(
		private readonly limit: number,
		private readonly state: ExecutionState,
	) {}

	/** Until the first message is accepted, no more are in flight than may still fail. */
	maxInFlight(maxConcurrency: number): number {
		if (this.limit === 0 || this.state.hasAccepted) return maxConcurrency;
		return Math.min(maxConcurrency, Math.max(1, this.limit - this.state.failuresInRow));
	}

	/** Why the run must not send anything: the runs before it in this execution reached the limit. */
	get stopReason(): Failed | undefined {
		if (this.limit === 0 || this.state.failuresInRow < this.limit) return undefined;
		return this.reached();
	}

	/** Why the run ends now; undefined when it continues. Only new outcomes count. */
	onOutcome(outcome: Outcome): Failed | undefined {
		if (outcome.delivery === 'skipped' || outcome.delivery === 'notAttempted') return undefined;
		if (outcome.fromPreviousTry) return undefined;
		if (outcome.delivery === 'accepted') {
			this.state.countAccepted();
			return undefined;
		}
		this.state.countFailure();
		return this.stopReason && this.reached(outcome);
	}

	private reached(last?: Failed): Failed {
		const { failure } = last ?? {};
		const messages =
			this.limit === 1 ? "A message wasn't" : `${this.limit} messages in a row weren't`;
		const title = `${messages} accepted ('Stop After Failures')`;
		const fix =
			'Fix the cause, then send only the items that failed again, e.g. those on the error output';
		return {
			delivery: 'notAttempted',
			failure: {
				...failure,
				title: failure ? `${title}. The last one: ${failure.title}` : title,
				description: fix,
				reason: 'stopAfterFailures',
			},
		};
	}
}
