/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import { yieldIfDue } from '../../../nodes/OutboundMessaging/delivery/eventLoop';

it('gives the event loop a turn after 8 ms of work, and not sooner', async () => {
	const start = performance.now() + 1000;
	const now = jest.spyOn(performance, 'now').mockReturnValue(start);
	await yieldIfDue();
	const turns: number[] = [];
	for (const milliseconds of [5, 7, 8, 12, 15, 16]) {
		now.mockReturnValue(start + milliseconds);
		let hadTurn = false;
		setTimeout(() => (hadTurn = true), 0);
		await yieldIfDue();
		if (hadTurn) turns.push(milliseconds);
	}
	now.mockRestore();
	expect(turns).toEqual([8, 16]);
});

it('all who wait go on after the same turn', async () => {
	const timers = jest.spyOn(global, 'setTimeout');
	const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
	await Promise.all([yieldIfDue(), yieldIfDue(), yieldIfDue()]);
	expect(timers).toHaveBeenCalledTimes(1);
	timers.mockRestore();
	now.mockRestore();
});
