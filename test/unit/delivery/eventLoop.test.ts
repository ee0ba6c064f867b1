/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import { sleep } from 'n8n-workflow';

import { yieldIfDue } from '../../../nodes/OutboundMessaging/common/eventLoop';

// The turn that an earlier test asked for is over by then.
beforeEach(async () => await sleep(5));

it('gives the event loop a turn after 8 ms of work, and not sooner', async () => {
	let ticks = 0;
	const timer = setInterval(() => ticks++, 0);
	const turns: number[] = [];
	for (const milliseconds of [100, 107, 108, 120, 127, 128]) {
		jest.spyOn(performance, 'now').mockReturnValue(milliseconds);
		const before = ticks;
		await yieldIfDue();
		if (ticks > before) turns.push(milliseconds);
	}
	clearInterval(timer);
	expect(turns).toEqual([108, 128]);
});

it('all who wait go on after the same turn', async () => {
	const timers = jest.spyOn(global, 'setTimeout');
	jest.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(60_000);
	await Promise.all([yieldIfDue(), yieldIfDue(), yieldIfDue()]);
	expect(timers).toHaveBeenCalledTimes(1);
});
