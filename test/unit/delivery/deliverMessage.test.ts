/** What is sent, and what happens to the message's key. The texts that users read are in test/engine. */
import type { Delivery } from '../../../nodes/OutboundMessaging/delivery/deliver';
import { deliverMessage } from '../../../nodes/OutboundMessaging/delivery/deliverMessage';
import { EventLoop } from '../../../nodes/OutboundMessaging/delivery/eventLoop';
import type { Claim, KeyStore } from '../../../nodes/OutboundMessaging/delivery/keyStore';
import { Memory } from '../../../nodes/OutboundMessaging/delivery/memory';
import type { SendResult } from '../../../nodes/OutboundMessaging/delivery/port';
import { RateLimiter } from '../../../nodes/OutboundMessaging/delivery/rateLimiter';

interface Situation {
	/** What the key store says to the claim, and then to the reclaim. */
	claims?: Array<Claim | Error>;
	sent?: Exclude<SendResult['delivery'], 'rateLimited' | 'notSent'>;
	resend?: boolean;
	/** What an earlier try of this execution did with the message. */
	earlier?: 'accepted' | 'uncertain';
	isStopped?: boolean;
	isRefused?: boolean;
	hasKey?: boolean;
	release?: Error;
}

const failure = { title: 'Out of credit', description: 'Top up' };
const record = { id: 'm' };

/** @returns how it ended, and what was done on the way */
async function deliver({
	claims = ['claimed'],
	sent = 'accepted',
	resend: resendUncertain = false,
	earlier,
	isStopped = false,
	isRefused,
	hasKey = true,
	release,
}: Situation) {
	const done: string[] = [];
	const does = (what: string, answer?: unknown) => async () => {
		done.push(what);
		if (answer instanceof Error) throw answer;
		return answer;
	};
	const keyStore = {
		claim: does('claim', claims[0]),
		reclaim: does('reclaim', claims[1]),
		markAccepted: does('accepted'),
		markUncertain: does('uncertain'),
		release: does('release', release),
	} as unknown as KeyStore;
	const message = {
		itemIndex: 0,
		recipient: '42',
		request: { url: 'https://api.example.com/text', body: { text: 'Hi' } },
		sendOnceKey: hasKey ? 'key' : undefined,
	};
	const memory = new Memory({}, 0, 'execution');
	if (earlier) memory.markInFlight(message);
	if (earlier === 'accepted') memory.accepted(message, record);
	if (earlier === 'uncertain') memory.uncertain(message, failure);
	const run = {
		...{ memory, keyStore, resendUncertain, rateLimitWait: 0, keyWait: 0 },
		beforeRequest: () => (isRefused ? { delivery: 'rejected', failure } : undefined),
		send: does(
			'send',
			sent === 'accepted' ? { delivery: sent, record } : { delivery: sent, failure },
		),
	} as unknown as Delivery;
	const shouldStop = () => isStopped;
	const limiter = new RateLimiter(0, new EventLoop(), shouldStop);
	const background: Array<Promise<void>> = [];
	const outcome = await deliverMessage(message, run, limiter, shouldStop, (work) => {
		background.push(work);
	});
	await Promise.all(background);
	return [outcome?.delivery, done.join(', '), memory.get(message)?.delivery];
}

const error = new Error('database is locked');

/** How it ends, what is done, and what a later try remembers. */
const TABLE: Array<[Situation, string | undefined, string, string?]> = [
	[{}, 'accepted', 'claim, send, accepted', 'accepted'],
	[{ sent: 'uncertain' }, 'uncertain', 'claim, send, uncertain', 'uncertain'],
	[{ sent: 'rejected' }, 'rejected', 'claim, send, release'],
	[{ sent: 'rejected', release: error }, 'rejected', 'claim, send, release'],
	[{ hasKey: false, sent: 'rejected' }, 'rejected', 'send'],
	[{ hasKey: false, sent: 'uncertain' }, 'uncertain', 'send', 'uncertain'],
	// Nothing is done to a key that this message doesn't hold.
	[{ isStopped: true }, undefined, ''],
	[{ isRefused: true }, 'rejected', ''],
	[{ claims: [error] }, 'rejected', 'claim'],
	[{ claims: ['stopped'] }, undefined, 'claim'],
	[{ claims: ['alreadySent'] }, 'skipped', 'claim'],
	[{ claims: ['uncertain'] }, 'uncertain', 'claim'],
	// Resend.
	[
		{ claims: ['uncertain', 'claimed'], resend: true },
		'accepted',
		'claim, reclaim, send, accepted',
		'accepted',
	],
	[
		{ claims: ['uncertain', 'claimed'], resend: true, sent: 'rejected' },
		'uncertain',
		'claim, reclaim, send, uncertain',
		'uncertain',
	],
	[{ claims: ['uncertain', 'uncertain'], resend: true }, 'uncertain', 'claim, reclaim'],
	[{ claims: ['uncertain', 'alreadySent'], resend: true }, 'skipped', 'claim, reclaim'],
	[{ claims: ['uncertain', 'stopped'], resend: true }, undefined, 'claim, reclaim'],
	// A later try.
	[{ earlier: 'accepted', resend: true }, 'accepted', '', 'accepted'],
	[{ earlier: 'uncertain' }, 'uncertain', '', 'uncertain'],
	[{ earlier: 'uncertain', resend: true, isRefused: true }, 'uncertain', '', 'uncertain'],
	[{ earlier: 'uncertain', resend: true, isStopped: true }, 'uncertain', '', 'uncertain'],
	[{ earlier: 'uncertain', resend: true, claims: [error] }, 'uncertain', 'claim', 'uncertain'],
	[
		{ earlier: 'uncertain', resend: true, claims: ['alreadySent'] },
		'skipped',
		'claim',
		'uncertain',
	],
	[{ earlier: 'uncertain', resend: true }, 'accepted', 'claim, send, accepted', 'accepted'],
	[
		{ earlier: 'uncertain', resend: true, sent: 'rejected' },
		'uncertain',
		'claim, send, uncertain',
		'uncertain',
	],
];

it.each(TABLE)('%j: %s', async (...[situation, delivery, done, remembered]) => {
	expect(await deliver(situation)).toEqual([delivery, done, remembered]);
});
