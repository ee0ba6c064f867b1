/** What is sent, and what happens to the message's key. The texts that users read are in test/engine. */
import { sleep } from 'n8n-workflow';

import type { Delivery, Sending } from '../../../nodes/OutboundMessaging/delivery/delivery';
import { deliver, deliverMessage } from '../../../nodes/OutboundMessaging/delivery/deliver';
import { fromMemory } from '../../../nodes/OutboundMessaging/delivery/deliveryOutcomes';
import type { Claim, KeyStore } from '../../../nodes/OutboundMessaging/delivery/keyStore';
import { Memory } from '../../../nodes/OutboundMessaging/delivery/memory';
import type { SendResult } from '../../../nodes/OutboundMessaging/delivery/outcome';
import { RateLimiter } from '../../../nodes/OutboundMessaging/delivery/rateLimiter';

interface Situation {
	/** What the key store says to the claim of each key. */
	claims?: Array<Claim | Error>;
	sent?: Exclude<SendResult['delivery'], 'notSent'>;
	resend?: boolean;
	/** What an earlier try of this execution did with the message. */
	earlier?: 'accepted' | 'uncertain';
	/** The run; `later`: while the key is claimed. */
	stops?: 'before' | 'later';
	/** Whether it may not be sent any more. */
	isRefused?: boolean;
	hasKey?: boolean;
	/** A Retry has a key of its own, besides the user's. */
	isRetry?: boolean;
	/** Marking the key as accepted, or releasing it, fails. */
	isKeyStuck?: boolean;
}

const failure = { title: 'Out of credit', description: 'Top up' };
const record = { id: 'm' };

/** @returns how it ended, and what was done on the way */
async function delivered(situation: Situation) {
	const { claims = [], sent = 'accepted', resend: resendUncertain = false, earlier } = situation;
	const { stops, isRefused, hasKey = true, isRetry, isKeyStuck } = situation;
	const shouldStop = () => stops === 'before' || (stops === 'later' && done.length > 0);
	const background: Array<Promise<void>> = [];
	const rateLimiter = new RateLimiter(0, shouldStop);
	const done: string[] = [];
	const does = (what: string, answer?: unknown) => async () => {
		done.push(what);
		if (what === 'claim' && stops === 'later') rateLimiter.pauseFor(60_000);
		if (answer instanceof Error) throw answer;
		return answer;
	};
	const ending = isKeyStuck ? error : undefined;
	let keysAsked = 0;
	const keyStore = {
		claim: async () => await does('claim', claims[keysAsked++])(),
		end: async (how: string) => await does(how, how === 'markUncertain' ? null : ending)(),
	} as unknown as KeyStore;
	const request = { url: 'https://api.example.com/text', body: { text: 'Hi' } };
	const sendOnceKey = hasKey ? 'key' : undefined;
	const message = { itemIndex: 0, recipient: '42', request, sendOnceKey };
	const memory = new Memory(isRetry ? { id: 'first', isRetry } : {}, 0, 'execution');
	if (earlier) memory.markInFlight(message);
	if (earlier === 'accepted') memory.accepted(message, record);
	if (earlier === 'uncertain') memory.uncertain(message, failure);
	const run = {
		...{ memory, keyStore, resendUncertain, rateLimitWait: 0, keyWait: 0 },
		beforeRequest: () => (isRefused ? { delivery: 'rejected', failure } : undefined),
		onProblem: () => void done.push('problem'),
		send: does('send', { delivery: sent, ...(sent === 'accepted' ? { record } : { failure }) }),
		...{ rateLimiter, shouldStop, inBackground: (work) => void background.push(work) },
	} as Partial<Sending> as Sending;
	const outcome = await deliverMessage(message, run);
	await Promise.all(background);
	const known = fromMemory(memory.get(message));
	const isExplained = JSON.stringify(known ?? '').includes(failure.title);
	const marks = outcome && [
		outcome.delivery,
		'fromPreviousTry' in outcome && outcome.fromPreviousTry && 'earlier',
		'notResent' in outcome && outcome.notResent && 'not resent',
		'failure' in outcome && /couldn't be (?:checked|released)/.exec(outcome.failure.title)?.[0],
		'failure' in outcome && outcome.failure.n8nCause?.cause,
	];
	return {
		outcome: marks?.filter(Boolean).join(', '),
		done: done.join(', '),
		remembered: known && `${known.delivery}${isExplained ? ', and why' : ''}`,
	};
}

const error = new Error('database is locked');

/** How it ends, what is done, and what a later try remembers. */
it.each`
	situation                                                                  | outcome                                                                  | done                                                  | remembered
	${{}}                                                                      | ${'accepted'}                                                            | ${'claim, send, accept'}                              | ${'accepted'}
	${{ sent: 'uncertain' }}                                                   | ${'uncertain'}                                                           | ${'claim, send, markUncertain'}                       | ${'uncertain, and why'}
	${{ sent: 'rejected' }}                                                    | ${'rejected'}                                                            | ${'claim, send, release'}                             | ${undefined}
	${{ isKeyStuck: true }}                                                    | ${'accepted'}                                                            | ${'claim, send, accept, problem'}                     | ${'accepted'}
	${{ sent: 'rejected', isKeyStuck: true }}                                  | ${"rejected, couldn't be released"}                                      | ${'claim, send, release'}                             | ${undefined}
	${{ sent: 'rateLimited', isKeyStuck: true }}                               | ${"rejected, couldn't be released"}                                      | ${'claim, send, release'}                             | ${undefined}
	${{ stops: 'later', isKeyStuck: true }}                                    | ${"notAttempted, couldn't be released"}                                  | ${'claim, release'}                                   | ${undefined}
	${{ stops: 'later' }}                                                      | ${undefined}                                                             | ${'claim, release'}                                   | ${undefined}
	${{ hasKey: false }}                                                       | ${'accepted'}                                                            | ${'send'}                                             | ${'accepted'}
	${{ hasKey: false, sent: 'rejected' }}                                     | ${'rejected'}                                                            | ${'send'}                                             | ${undefined}
	${{ hasKey: false, sent: 'uncertain' }}                                    | ${'uncertain'}                                                           | ${'send'}                                             | ${'uncertain, and why'}
	${{ stops: 'before' }}                                                     | ${undefined}                                                             | ${''}                                                 | ${undefined}
	${{ isRefused: true }}                                                     | ${'rejected'}                                                            | ${''}                                                 | ${undefined}
	${{ claims: [error] }}                                                     | ${"rejected, couldn't be checked, temporarily-unavailable"}              | ${'claim'}                                            | ${undefined}
	${{ claims: ['stopped'] }}                                                 | ${undefined}                                                             | ${'claim'}                                            | ${undefined}
	${{ claims: ['alreadySent'] }}                                             | ${'skipped'}                                                             | ${'claim'}                                            | ${undefined}
	${{ claims: ['uncertain'] }}                                               | ${'uncertain, earlier'}                                                  | ${'claim'}                                            | ${undefined}
	${{ claims: ['uncertain'], resend: true }}                                 | ${'accepted'}                                                            | ${'claim, markUncertain, send, accept'}               | ${'accepted'}
	${{ claims: ['uncertain'], resend: true, sent: 'rejected' }}               | ${'uncertain, not resent'}                                               | ${'claim, markUncertain, send, markUncertain'}        | ${'uncertain'}
	${{ claims: ['uncertain'], resend: true, stops: 'later' }}                 | ${'uncertain, earlier'}                                                  | ${'claim, markUncertain, markUncertain'}              | ${'uncertain'}
	${{ claims: ['alreadySent'], resend: true }}                               | ${'skipped'}                                                             | ${'claim'}                                            | ${undefined}
	${{ isRetry: true }}                                                       | ${'accepted'}                                                            | ${'claim, claim, send, accept, accept'}               | ${'accepted'}
	${{ isRetry: true, sent: 'uncertain' }}                                    | ${'uncertain'}                                                           | ${'claim, claim, send, markUncertain, markUncertain'} | ${'uncertain, and why'}
	${{ isRetry: true, sent: 'rejected' }}                                     | ${'rejected'}                                                            | ${'claim, claim, send, release, release'}             | ${undefined}
	${{ isRetry: true, claims: ['claimed', 'alreadySent'] }}                   | ${'skipped'}                                                             | ${'claim, claim, release'}                            | ${undefined}
	${{ isRetry: true, claims: ['claimed', 'uncertain'] }}                     | ${'uncertain, earlier'}                                                  | ${'claim, claim, release'}                            | ${undefined}
	${{ isRetry: true, claims: ['alreadySent'] }}                              | ${'skipped'}                                                             | ${'claim'}                                            | ${undefined}
	${{ isRetry: true, hasKey: false }}                                        | ${'accepted'}                                                            | ${'claim, send, accept'}                              | ${'accepted'}
	${{ earlier: 'accepted', resend: true }}                                   | ${'accepted, earlier'}                                                   | ${''}                                                 | ${'accepted'}
	${{ earlier: 'uncertain' }}                                                | ${'uncertain, earlier'}                                                  | ${''}                                                 | ${'uncertain, and why'}
	${{ earlier: 'uncertain', resend: true, isRefused: true }}                 | ${'uncertain, not resent'}                                               | ${''}                                                 | ${'uncertain, and why'}
	${{ earlier: 'uncertain', resend: true, stops: 'before' }}                 | ${'uncertain, earlier'}                                                  | ${''}                                                 | ${'uncertain, and why'}
	${{ earlier: 'uncertain', resend: true, claims: [error] }}                 | ${"uncertain, not resent, couldn't be checked, temporarily-unavailable"} | ${'claim'}                                            | ${'uncertain, and why'}
	${{ earlier: 'uncertain', resend: true, claims: ['alreadySent'] }}         | ${'skipped'}                                                             | ${'claim'}                                            | ${'uncertain, and why'}
	${{ earlier: 'uncertain', resend: true, hasKey: false, sent: 'rejected' }} | ${'uncertain, not resent'}                                               | ${'send'}                                             | ${'uncertain, and why'}
	${{ earlier: 'uncertain', resend: true }}                                  | ${'accepted'}                                                            | ${'claim, send, accept'}                              | ${'accepted'}
	${{ earlier: 'uncertain', resend: true, sent: 'rejected' }}                | ${'uncertain, not resent'}                                               | ${'claim, send, release'}                             | ${'uncertain, and why'}
`('$situation: $outcome', async ({ situation, ...expected }: { situation: Situation }) => {
	expect(await delivered({ claims: ['claimed', 'claimed'], ...situation })).toEqual(expected);
});

/** A run of messages, each by its recipient and its key. */
async function deliverAll(names: string[], hooks: Partial<Delivery>) {
	const items = names.map((name, itemIndex) => {
		const [recipient, sendOnceKey] = name.split(' ');
		const request = { url: 'https://api.example.com/text', body: { itemIndex } };
		return { message: { itemIndex, recipient, sendOnceKey, request } };
	});
	const run = { memory: new Memory({}, 0, 'execution'), messagesPerSecond: 0 };
	const nothing = { isCanceled: () => false, beforeRequest: () => {}, onOutcome: () => {} };
	return await deliver(items, { ...run, ...nothing, maxInFlight: () => 9, ...hooks } as Delivery);
}

it('messages to one customer, and messages with one key, go one after the other', async () => {
	const inFlight = new Set<unknown>();
	const together: string[] = [];
	await deliverAll(['42 a', '42 b', '43 a', '44', '44', '45'], {
		send: async ({ body: { itemIndex } }) => {
			together.push(...[...inFlight].map((other) => `${String(other)} ${String(itemIndex)}`));
			inFlight.add(itemIndex);
			await sleep(1);
			inFlight.delete(itemIndex);
			return { delivery: 'accepted', record };
		},
	});
	expect(together).toEqual(expect.arrayContaining(['0 3', '3 5', '1 2']));
	for (const pair of ['0 1', '0 2', '3 4']) expect(together).not.toContain(pair);
});

it.each([
	['send', 'uncertain'],
	['beforeRequest', 'rejected'],
])('an exception inside the node (%s) costs one message: %s', async (hook, delivery) => {
	const fails = (): never => {
		throw error;
	};
	const [outcome] = await deliverAll(['42'], { [hook]: fails });
	expect(outcome).toMatchObject({ delivery, failure: { n8nCause: { cause: 'node-defect' } } });
});
