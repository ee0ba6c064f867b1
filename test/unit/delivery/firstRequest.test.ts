import { sleep } from 'n8n-workflow';

import { FirstRequest } from '../../../nodes/OutboundMessaging/delivery/firstRequest';
import type { Message } from '../../../nodes/OutboundMessaging/delivery/message';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A message of the list. All times are in milliseconds since the run began. */
interface Sent {
	asksAt?: number;
	hasKey?: boolean;
	/** How long it takes to claim its key, each time. */
	claimTakes?: number;
	/** Its key was used before, so it makes no request. */
	wasSent?: boolean;
	/** How its request ends, after 100 ms. */
	ends?: 'accepted' | 'rejected';
}

/** When each request starts, and how often its message has asked for its key. */
async function started(messages: Sent[]): Promise<string[]> {
	let isUp = false;
	const first = new FirstRequest(
		() => isUp,
		() => false,
	);
	const got: string[] = [];
	messages.forEach(async ({ asksAt = 0, hasKey, claimTakes = 0, wasSent, ends }, index) => {
		const message = { itemIndex: index } as Message;
		await sleep(asksAt);
		let claims = 0;
		for (let mayStart = false; !mayStart; ) {
			if (!hasKey || claims > 0) await first.wait(message);
			claims++;
			await sleep(claimTakes);
			mayStart = wasSent === true || first.begin(message);
			if (!mayStart) first.end(message);
		}
		got[index] = `${wasSent ? 'none' : Math.round(performance.now() / 10) * 10}, ${claims}`;
		if (!wasSent) await sleep(100);
		isUp ||= ends === 'accepted';
		first.end(message);
	});
	await jest.advanceTimersByTimeAsync(10_000);
	return got;
}

it.each<{ rule: string; messages: Sent[]; expected: string[] }>([
	{
		rule: 'one after the other, each as soon as the one before has ended',
		messages: [{}, {}, {}],
		expected: ['0, 1', '100, 1', '200, 1'],
	},
	{
		rule: 'once one is accepted, all others start',
		messages: [{ ends: 'accepted' }, {}, {}],
		expected: ['0, 1', '100, 1', '100, 1'],
	},
	{
		rule: 'where no one waits any more, a message with a key asks for it once',
		messages: [{}, {}, { hasKey: true, asksAt: 500 }],
		expected: ['0, 1', '100, 1', '500, 1'],
	},
	{
		rule: 'a message with a key overtakes no one who waits',
		messages: [{}, { claimTakes: 50 }, {}, { hasKey: true, asksAt: 120 }],
		expected: ['0, 1', '150, 1', '250, 1', '350, 2'],
	},
	{
		rule: 'one that turns out to be sent already changes no order',
		messages: [{}, { claimTakes: 50 }, {}, { hasKey: true, asksAt: 120, wasSent: true }],
		expected: ['0, 1', '150, 1', '250, 1', 'none, 1'],
	},
	{
		rule: 'whoever asks for a key that another execution holds is waited for one second',
		messages: [{ claimTakes: 5000 }, {}],
		expected: ['5000, 1', '1000, 1'],
	},
])('until the service is known to work: $rule', async ({ messages, expected }) => {
	expect(await started(messages)).toEqual(expected);
});
