import type { Delivery } from './deliver';
import {
	alreadySent,
	fromMemory,
	keyNotChecked,
	keyNotReleased,
	sentElsewhere,
	stillUncertain,
} from './deliveryOutcomes';
import type { KeyStore } from './keyStore';
import { messageOf } from '../messageOf';
import type { Message } from './message';
import type { Outcome } from './outcome';
import { isFailed } from './outcome';
import type { RateLimiter } from './rateLimiter';
import type { Attempt } from './sendWithRetries';
import { sendWithRetries } from './sendWithRetries';

/**
 * Delivers one message: consults the memory, claims its key, sends it, and remembers how that ended.
 * @param inBackground takes what must end before the run does, but not before the next message starts
 * @returns undefined when the run stopped before the message was sent
 */
export async function deliverMessage(
	message: Message,
	run: Delivery,
	rateLimiter: RateLimiter,
	shouldStop: () => boolean,
	inBackground: (work: Promise<void>) => void,
): Promise<Outcome | undefined> {
	const { memory } = run;
	const known = memory.get(message);
	if (known && (known.delivery === 'accepted' || !run.resendUncertain)) return fromMemory(known);

	const refusal = run.beforeRequest(message);
	if (refusal) return fromMemory(known) ?? refusal;

	const name = message.sendOnceKey ?? memory.retryKey(message);
	const key = name !== undefined && run.keyStore ? { name, store: run.keyStore } : undefined;
	let holdsKey = false;
	let earlier = fromMemory(known);
	const outcome = await sendWithRetries({
		rateLimiter,
		rateLimitWait: run.rateLimitWait,
		claim: async () => {
			const claim = await claimKey(key, message, run, shouldStop);
			holdsKey = claim === 'claimed' || claim === 'takenOver';
			if (claim !== 'takenOver') return claim;
			earlier ??= sentElsewhere(message);
			return 'claimed';
		},
		beforeRequest: () => run.beforeRequest(message),
		send: async () => {
			memory.markInFlight(message);
			return await run.send(message.request);
		},
	});

	if (outcome?.delivery === 'accepted') {
		memory.accepted(message, outcome.record);
		// Written together with the claim of the next message, so no more keys are in flight than messages may be.
		inBackground(markAccepted(key, run));
		return outcome;
	}
	if (outcome?.delivery === 'uncertain') {
		if (holdsKey) {
			memory.uncertain(message, outcome.failure);
			await key?.store.markUncertain(key.name);
		}
		return outcome;
	}
	// Whatever an earlier try left open: another execution has sent it, and so holds the key.
	if (outcome?.delivery === 'skipped' && !holdsKey) return outcome;
	// Certainly not sent in this try. Whether an earlier one, or another execution, sent it is as open as before.
	if (earlier) {
		memory.uncertain(message, known?.failure);
		if (holdsKey) await key?.store.markUncertain(key.name);
		return outcome && isFailed(outcome) ? stillUncertain(outcome) : earlier;
	}
	if (!holdsKey) return outcome;
	memory.delete(message);
	return await releaseKey(key, outcome);
}

/** A message's key and the store that keeps it; undefined when it has none. */
type Key = { name: string; store: KeyStore } | undefined;

async function claimKey(
	key: Key,
	message: Message,
	{ keyWait, resendUncertain }: Delivery,
	shouldStop: () => boolean,
): Promise<Awaited<ReturnType<Attempt['claim']>> | 'takenOver'> {
	if (key === undefined) return 'claimed';
	const { name, store } = key;
	try {
		let claim = await store.claim(name, keyWait, shouldStop);
		const isTakenOver = claim === 'uncertain' && resendUncertain;
		if (isTakenOver) claim = await store.reclaim(name, keyWait, shouldStop);
		if (claim === 'alreadySent') return alreadySent(message);
		if (claim === 'uncertain') return sentElsewhere(message);
		return claim === 'claimed' && isTakenOver ? 'takenOver' : claim;
	} catch (error) {
		return keyNotChecked(message, error);
	}
}

/** A mark that stays only makes a later execution take the message for uncertain: no reason to call it failed now. */
async function markAccepted(key: Key, { onProblem }: Delivery) {
	try {
		await key?.store.markAccepted(key.name);
	} catch (error) {
		onProblem(
			`a message was accepted, but its key couldn't be marked as accepted: ${messageOf(error)}`,
		);
	}
}

async function releaseKey(key: Key, outcome: Outcome | undefined): Promise<Outcome | undefined> {
	try {
		await key?.store.release(key.name);
		return outcome;
	} catch (error) {
		return keyNotReleased(outcome && isFailed(outcome) ? outcome : undefined, error);
	}
}
