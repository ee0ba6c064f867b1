import type { IDataObject } from 'n8n-workflow';

import type { Outcome } from '../../../nodes/OutboundMessaging/delivery/outcome';
import { ExecutionState } from '../../../nodes/OutboundMessaging/safeguards/executionState';
import { StopAfterFailures } from '../../../nodes/OutboundMessaging/safeguards/stopAfterFailures';

const failure = { title: 'Template paused', description: 'Choose another template' };
const ENDS: Record<string, Outcome> = {
	a: { delivery: 'accepted', record: {} },
	r: { delivery: 'rejected', failure },
	u: { delivery: 'uncertain', failure },
	n: { delivery: 'notAttempted', failure },
	s: { delivery: 'skipped', reason: 'alreadySent', details: {} },
	A: { delivery: 'accepted', record: {}, fromPreviousTry: true },
	U: { delivery: 'uncertain', failure, fromPreviousTry: true },
};
const at = (store: IDataObject, runIndex = 0, executionId = '1') =>
	new ExecutionState(store, { runIndex, executionId });

it.each<[string, number, number | undefined]>([
	['rur', 3, 3],
	['rrarr', 3, undefined],
	['rrarrr', 3, 6],
	['rsrnr', 3, 5],
	['rAUrr', 3, 5],
	['rrrrrr', 0, undefined],
])('of %s with a limit of %i, message %p ends the run', (ends, limit, position) => {
	const stop = new StopAfterFailures(limit, at({}));
	const stops = [...ends].map((end) => stop.onOutcome(ENDS[end]) !== undefined);
	expect(stops.indexOf(true) + 1).toBe(position ?? 0);
});

it('says why, and what to do', () => {
	const stop = new StopAfterFailures(1, at({}));
	expect(stop.onOutcome(ENDS.r)?.failure).toEqual({
		title: "A message wasn't accepted ('Stop After Failures'). The last one: Template paused",
		description:
			'Fix the cause, then send only the items that failed again, e.g. those on the error output',
	});
});

it('until the first acceptance no more are in flight than may fail', () => {
	const stop = new StopAfterFailures(5, at({}));
	expect(stop.maxInFlight(100)).toBe(5);
	expect(stop.maxInFlight(3)).toBe(3);
	stop.onOutcome(ENDS.r);
	expect(stop.maxInFlight(100)).toBe(4);
	stop.onOutcome(ENDS.a);
	expect(stop.maxInFlight(100)).toBe(100);
	expect(new StopAfterFailures(0, at({})).maxInFlight(100)).toBe(100);
});

it.each<[string, number, string, boolean]>([
	['the next run of a loop continues counting', 1, '1', true],
	['a try of the same run counts from where the run began', 0, '1', false],
	['a retry of the execution counts again', 1, '2', false],
])('%s', (_, runIndex, executionId, isStopped) => {
	const store: IDataObject = {};
	const first = new StopAfterFailures(2, at(store));
	first.onOutcome(ENDS.r);
	first.onOutcome(ENDS.r);
	const next = new StopAfterFailures(2, at(store, runIndex, executionId));
	expect(next.stopReason !== undefined).toBe(isStopped);
});
