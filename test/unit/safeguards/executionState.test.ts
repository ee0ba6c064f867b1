/** What the safeguards count over all that one execution leads to. */
import { ALREADY_SENT } from '../../../nodes/OutboundMessaging/delivery/deliveryOutcomes';
import { total } from '../../../nodes/OutboundMessaging/n8n/nodeState';
import { countingWhileSending } from '../../../nodes/OutboundMessaging/safeguards/stopAfterFailures';
import { ExecutionState } from '../../../nodes/OutboundMessaging/safeguards/executionState';
import { rows, words } from '../help';

const ENDS: Record<string, object> = {
	sent: { delivery: 'accepted' },
	before: { delivery: 'accepted', isFromBefore: true },
	no: { delivery: 'rejected' },
	maybe: { delivery: 'uncertain' },
	later: { delivery: 'notAttempted' },
	key: { delivery: 'skipped', why: ALREADY_SENT, details: { sendOnceKey: 'k' } },
	click: { delivery: 'skipped', why: ALREADY_SENT, isOfExecution: true, details: {} },
	list: { delivery: 'skipped', why: {} },
};

const saying = (text: string) => ({ url: 'u', body: { text } });

/** A run, as `execution.run settings item item`; a call has a letter for its run. */
function runIn(store: object, run: string): ExecutionState {
	const [place, ...more] = words(run);
	const [executionId, runOrCall] = place.split('.');
	const context = { getContext: () => store, getExecutionId: () => executionId } as never;
	const part = more.includes('dry') ? 'dryRun' : 'sending';
	const id = /[a-z]/.test(runOrCall) ? runOrCall : Number(runOrCall);
	const state = new ExecutionState(context, id, part, !more.includes('all'));
	const counting = countingWhileSending(state, executionId, 0, false);
	for (const [itemIndex, end] of more.filter((word) => word in ENDS).entries()) {
		const before = more.includes('again') ? { by: 'ledger' } : undefined;
		const message = { request: saying('Hi'), recipient: String(itemIndex), itemIndex, before };
		const tested = more.includes('test') && { ...message, recipient: 'me', tested: message };
		counting.onOutcome(ENDS[end] as never, (tested || message) as never);
	}
	return state;
}

it.each(
	rows(`1.0 sent → 1 0 1 true; 1.0 before → 0 0 1 false; 1.0 no → 0 1 0 false; 1.0 maybe → 1 1 1 false;
		1.0 later → 0 0 0 false; 1.0 key → 0 0 0 false; 1.0 click → 1 0 1 false; 1.0 again click sent → 0 0 2 true;
		1.0 list → 0 0 0 false; 1.0 no sent → 1 0 1 true; 1.0 all sent → 1 0 0 true; 1.0 test sent sent no → 2 1 2 true;
		1.0 no, 1.1 no → 0 2 0 false; 1.0 no no, 1.0 no → 0 1 0 false; 1.0 sent no, 2.0 no → 1 1 1 false;
		1.0 sent, 1.0 sent → 2 0 1 true; 1.0 dry sent, 1.0 dry sent → 1 0 1 true;
		1.0 dry test sent, 1.1 dry test sent, 1.1 dry test sent → 2 0 1 true; 1.0 dry sent, 1.0 no → 0 1 0 false`),
)('after %s: sent, failures in a row, recipients, any accepted: %s', (runs, counted) => {
	const store = {};
	const states = runs.split(', ').map((run) => runIn(store, run));
	const { sent, failures, recipients } = states.at(-1)!.counts;
	const inARow = total(failures?.inARow);
	const counts = [total(sent), inARow, Object.keys(recipients).length, failures?.hasAccepted];
	expect(counts.join(' ')).toBe(counted);
});

it('calls at the same time count together', () => {
	const store = {};
	const [first, second] = [runIn(store, '1.a no'), runIn(store, '1.b no')];
	const counting = countingWhileSending(first, '1', 0, false);
	const message = { recipient: '1', itemIndex: 0, request: saying('Hi') };
	counting.onOutcome({ delivery: 'accepted', record: {} }, message);
	const { failures } = second.counts;
	expect([failures?.hasAccepted, total(failures?.inARow)]).toEqual([true, 0]);
});

it.each(
	rows(`1.0 no sent → 1.0 → 1 → ; 1.0 no sent → 1.0 → 0 → {"firstItemIndex":1};
		1.0 no sent → 1.1 → 1 → {"firstItemIndex":1,"firstRunIndex":0}; 1.a no sent → 1.b → 0 → {"firstItemIndex":1};
		1.0 no sent, 1.1 no maybe → 1.2 → 1 → {"firstItemIndex":1,"firstRunIndex":0}; 1.0 no maybe → 1.0 → 0 → {"firstItemIndex":1};
		1.0 no maybe → 1.1 → 0 → ; 1.0 no maybe → 1.1 other → 0 → {"firstItemIndex":1,"firstRunIndex":0}`),
)('after %s, in run %s, item %s: the first one is %s', (before, run, item, first) => {
	const store = {};
	for (const each of before.split(', ')) runIn(store, each);
	const request = saying(run.endsWith('other') ? 'Bye' : 'Hi');
	const message = { request, recipient: '1', itemIndex: Number(item) };
	expect(JSON.stringify(runIn(store, run).earlierItemFor(message as never)) ?? '').toBe(first);
});
