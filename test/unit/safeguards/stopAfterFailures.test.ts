import type { IExecuteFunctions } from 'n8n-workflow';

import type { Counts } from '../../../nodes/OutboundMessaging/common/nodeState';
import { ALREADY_SENT } from '../../../nodes/OutboundMessaging/delivery/deliveryOutcomes';
import type { Message } from '../../../nodes/OutboundMessaging/delivery/message';
import type { Outcome } from '../../../nodes/OutboundMessaging/delivery/outcome';
import { ExecutionState } from '../../../nodes/OutboundMessaging/safeguards/executionState';
import { countingWhileSending } from '../../../nodes/OutboundMessaging/safeguards/stopAfterFailures';

const failure = { title: 'Template paused', description: 'Choose another template' };
const ENDS: Record<string, Outcome> = {
	a: { delivery: 'accepted', record: {} },
	r: { delivery: 'rejected', failure },
	u: { delivery: 'uncertain', failure },
	n: { delivery: 'notAttempted', failure },
	s: { delivery: 'skipped', why: ALREADY_SENT, details: { sendOnceKey: 'k' } },
	S: { delivery: 'skipped', why: ALREADY_SENT, details: {} },
	d: { delivery: 'skipped', why: { ...ALREADY_SENT, reason: 'doNotContact' }, details: {} },
	A: { delivery: 'accepted', record: {}, fromPreviousTry: true },
	U: { delivery: 'uncertain', failure, fromPreviousTry: true },
	R: { delivery: 'uncertain', failure, notResent: true },
};

interface Run {
	store?: Partial<Counts>;
	runIndex?: number | string;
	executionId?: string;
	isDryRun?: boolean;
	repeatedRecipients?: 'sendAll' | 'sendFirst' | 'reject';
	maxConcurrency?: number;
}

/** A run in which messages to customer 7 end one after the other. */
function runOf(limit: number, run: Run = {}) {
	const { store = {}, runIndex = 0, executionId = '1', isDryRun = false } = run;
	const { repeatedRecipients = 'sendAll', maxConcurrency = 100 } = run;
	const context = {
		getContext: () => ({ counts: store, dryRunCounts: store }),
		getExecutionId: () => executionId,
		getWorkflowDataProxy: () => ({ $runIndex: runIndex }),
	} as unknown as IExecuteFunctions;
	const callId = typeof runIndex === 'string' ? runIndex : undefined;
	const state = new ExecutionState(context, { dryRun: isDryRun, repeatedRecipients }, callId);
	const hooks = countingWhileSending({ limit, maxConcurrency }, state);
	const message = { itemIndex: 3, recipient: '7' } as Message;
	const end = (how: string) => hooks.onOutcome(ENDS[how], message);
	return { state, hooks, ends: (each: string) => [...each].map(end) };
}

it.each<[string, number, number, number]>([
	['rur', 3, 3, 1],
	['rrarrr', 3, 6, 1],
	['rsrnr', 3, 5, 0],
	['rUArr', 3, 5, 0],
	// Another Retry of the same execution has sent it.
	['rSrr', 3, 4, 1],
	// Resent, and certainly not sent this time: only the failure is new.
	['aRu', 2, 3, 2],
	['rrrrrr', 0, 0, 0],
])('%s with a limit of %i: message %i ends the run, and %i were sent', (ends, limit, at, sent) => {
	const run = runOf(limit);
	const stops = run.ends(ends);
	expect(stops.findIndex((stop) => stop !== undefined) + 1).toBe(at);
	const stop = { delivery: 'notAttempted', failure: { reason: 'stopAfterFailures' } };
	if (at > 0) expect(stops[at - 1]).toMatchObject(stop);
	expect(run.state.counts).toMatchObject({ sent, testMessages: 0 });
});

it('until one is accepted, no more are in flight than may fail', () => {
	const inFlight = (ends: string, limit: number, maxConcurrency = 100) => {
		const run = runOf(limit, { maxConcurrency });
		run.ends(ends);
		return run.hooks.maxInFlight();
	};
	expect([inFlight('', 5), inFlight('', 5, 3), inFlight('r', 5)]).toEqual([5, 3, 4]);
	expect([inFlight('ra', 5), inFlight('', 0)]).toEqual([100, 100]);
});

it.each<[string, Run, boolean, number]>([
	['the next run of a loop continues counting', { runIndex: 1 }, true, 1],
	['a try of the same run counts failures from where it began', {}, false, 1],
	['a retry of the execution counts them again', { runIndex: 1, executionId: '2' }, false, 1],
	['a try of a dry run shows the same again', { isDryRun: true }, false, 0],
])('%s', (_, run, isStopped, sent) => {
	const store: Partial<Counts> = {};
	runOf(2, { store, isDryRun: run.isDryRun }).ends('ru');
	const next = runOf(2, { store, ...run });
	expect(next.hooks.stopReason() !== undefined).toBe(isStopped);
	expect(next.state.counts.sent).toBe(sent);
});

it('tries of two calls that alternate count each failure once', () => {
	const store: Partial<Counts> = {};
	const ends = ['A', 'B', 'A', 'B', 'C'].map(
		(runIndex) => runOf(3, { store, runIndex }).ends('r')[0],
	);
	expect(ends.map((stop) => stop !== undefined)).toEqual([false, false, false, false, true]);
	runOf(3, { store, runIndex: 'A' }).ends('a');
	expect(runOf(3, { store, runIndex: 'B' }).state.failuresInRow).toBe(0);
});

const FIRST = { firstItemIndex: 3, firstRunIndex: 0 };
it.each([
	['sendAll', 'a', undefined],
	['sendFirst', 'auAUs', FIRST],
	['sendFirst', 'rnd', undefined],
] as const)(
	'with %s, after any of %s, a recipient is known by: %j',
	(repeatedRecipients, ends, first) => {
		for (const end of ends) {
			const store: Partial<Counts> = {};
			const run = runOf(0, { store, repeatedRecipients });
			run.ends(end);
			expect(run.state.earlierItemFor('7', 3)).toBeUndefined();
			expect(run.state.earlierItemFor('7', 4)).toEqual(first && { firstItemIndex: 3 });
			expect(runOf(0, { store, runIndex: 1 }).state.earlierItemFor('7', 3)).toEqual(first);
		}
	},
);
