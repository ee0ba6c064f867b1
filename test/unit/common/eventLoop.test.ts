/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import { yieldInOrder } from '../../../nodes/OutboundMessaging/common/eventLoop';

it('many that continue at the same moment give n8n its turns, too', async () => {
	let now = 0;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	let inThisTurn = 0;
	let most = 0;
	// n8n's turn comes when a timer of its own does.
	const turns = setInterval(() => (inThisTurn = 0), 0);
	const work = async () => {
		await yieldInOrder();
		// A request begins a little later than its sender continues.
		await Promise.resolve();
		now += 1;
		most = Math.max(most, ++inThisTurn);
	};
	await Promise.all(Array.from({ length: 1000 }, work));
	clearInterval(turns);
	expect(most).toBeLessThan(30);
	expect(most).toBeGreaterThan(1);
});
