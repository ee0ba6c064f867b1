import type { Logger } from 'n8n-workflow';

import type { Outcome } from '../../../nodes/OutboundMessaging/delivery/outcome';
import { countOutcomes, formatCounts } from '../../../nodes/OutboundMessaging/output/counts';
import { progressLog } from '../../../nodes/OutboundMessaging/output/progress';

const failure = { title: 'x', description: 'y' };
const accepted: Outcome = { delivery: 'accepted', record: {} };
const rejected: Outcome = { delivery: 'rejected', failure };

it.each<[Outcome[], string]>([
	[[], '0 of 0 messages accepted'],
	[[accepted], '1 of 1 message accepted'],
	[[accepted, rejected, accepted], '2 of 3 messages accepted, 1 rejected'],
	[
		[
			{ delivery: 'skipped', reason: 'alreadySent', details: {} },
			{ delivery: 'notAttempted', failure },
			{ delivery: 'uncertain', failure },
			rejected,
			accepted,
		],
		'1 of 5 messages accepted, 1 rejected, 1 uncertain, 1 not attempted, 1 skipped',
	],
])('%#: %s', (...row) => {
	const [outcomes, words] = row;
	expect(formatCounts(countOutcomes(outcomes))).toBe(words);
});

describe("in n8n's log", () => {
	beforeEach(() => {
		jest.useFakeTimers();
	});

	afterEach(() => {
		jest.useRealTimers();
	});

	async function log(total: number, millisecondsEach: number): Promise<string[]> {
		const info = jest.fn<void, [string]>();
		const ended = progressLog({ info } as unknown as Logger, 'Send', total);
		for (let done = 0; done < total; done++) {
			await jest.advanceTimersByTimeAsync(millisecondsEach);
			ended(accepted);
		}
		return info.mock.calls.map(([line]) => line);
	}

	it('a long run says at every tenth how far it is', async () => {
		const lines = await log(200, 1000);
		expect(lines).toHaveLength(9);
		expect(lines[0]).toBe('Send: 20 of 200 messages done: 20 accepted');
		expect(lines[8]).toBe('Send: 180 of 200 messages done: 180 accepted');
	});

	it.each([
		['a short run says nothing', 99, 1000, 0],
		['a quick run says nothing', 1000, 1, 0],
		['not more often than every five seconds', 1000, 30, 4],
	])('%s', async (...row) => {
		const [, total, milliseconds, lines] = row;
		expect(await log(total, milliseconds)).toHaveLength(lines);
	});
});
