import type { Logger } from 'n8n-workflow';

import type { Outcome } from '../../../nodes/OutboundMessaging/delivery/outcome';
import { countOutcomes, formatCounts } from '../../../nodes/OutboundMessaging/output/counts';
import { progressLog } from '../../../nodes/OutboundMessaging/output/progress';

const failure = { title: 'x', description: 'y' };
const accepted: Outcome = { delivery: 'accepted', record: {} };
const others: Outcome[] = [
	{ delivery: 'skipped', reason: 'alreadySent', details: {} },
	{ delivery: 'notAttempted', failure },
	{ delivery: 'uncertain', failure },
	{ delivery: 'rejected', failure },
];

it.each<[Outcome[], string]>([
	[[], '0 of 0 messages accepted'],
	[[accepted], '1 of 1 message accepted'],
	[
		[...others, accepted, accepted],
		'2 of 6 messages accepted, 1 rejected, 1 uncertain, 1 not attempted, 1 skipped',
	],
])('%#: %s', (...[outcomes, text]) => {
	expect(formatCounts(countOutcomes(outcomes))).toBe(text);
});

describe("in n8n's log", () => {
	beforeEach(() => {
		jest.useFakeTimers();
	});

	afterEach(() => {
		jest.useRealTimers();
	});

	it.each([
		['a long run: at every tenth how far it is', 200, 1000, 9, 180],
		['a short run: nothing', 99, 1000, 0, undefined],
		['a quick run: nothing', 1000, 1, 0, undefined],
		['not more often than every five seconds', 1000, 30, 4, 800],
	])('%s', (...[, total, millisecondsEach, lines, last]) => {
		const info = jest.fn<void, [string]>();
		const ended = progressLog({ info } as unknown as Logger, 'Send', total);
		for (let done = 0; done < total; done++) {
			jest.advanceTimersByTime(millisecondsEach);
			ended(accepted);
		}
		expect(info).toHaveBeenCalledTimes(lines);
		const line = last && `Send: ${last} of ${total} messages done: ${last} accepted`;
		expect(info.mock.lastCall?.[0]).toBe(line);
	});
});
