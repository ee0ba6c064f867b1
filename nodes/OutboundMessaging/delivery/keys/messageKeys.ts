import { yieldInOrder } from '../../common/eventLoop';
import { errorMessage, twoLines, RunRejected } from '../../common/failure';
import { OTHER_SENT, alreadySent, maybeSent } from '../beforeAndNow';
import {
	type Before,
	type Message,
	type PlannedItem,
	type Failed,
	type Outcome,
	failed,
} from '../message';
import type { Sending } from '../sending';
import { type Key, type KeyEnd, ownKey } from './keyStates';

/** The keys of one message, held together for one request. */
export class MessageKeys {
	private held: Key[] = [];

	constructor(
		private readonly message: Message,
		private readonly sending: Sending,
	) {}

	/**
	 * @returns why the message must not be sent; undefined if it may. Some keys may be
	 *   held in both cases
	 */
	async claim(): Promise<Outcome | 'stopped' | undefined> {
		let otherSent: Outcome | undefined;
		for (const key of this.sending.ledger.keysOf(this.message)) {
			const notClaimed = await this.claimOne(key).catch(notChecked);
			// Many claims end at the same moment.
			await yieldInOrder();
			const isOnlyPlaceTaken = notClaimed === OTHER_SENT;
			if (notClaimed === undefined) this.held.push(key);
			// The message's own key may tell that it's the same one.
			else if (isOnlyPlaceTaken) otherSent = notClaimed;
			else return notClaimed;
		}
		return otherSent;
	}

	/**
	 * Claims one key. What becomes of the message and the key, by how the key is found, and for an
	 * uncertain key by 'If Delivery Is Uncertain'. A key that's still held after the wait
	 * is uncertain, too:
	 *
	 * the key                      the message             the key then
	 * is free                      may be sent             is held
	 * was accepted                 was sent already        stays so
	 * … by a retry, other content  is rejected             stays so
	 * is uncertain, Don't Resend   may have been sent      is uncertain, unless its holder may still
	 *                                                      release it
	 * is uncertain, Resend         may be sent, uncertain  is uncertain, and held
	 *                              if it isn't
	 */
	private async claimOne(key: Key): Promise<Outcome | 'stopped' | undefined> {
		const { message } = this;
		const { keyStore, keyWait, ledger, onUncertainDelivery, shouldStop } = this.sending;
		const isOfRetry = key.content !== undefined;
		const origin = isOfRetry ? 'otherRetry' : 'otherExecution';
		const found = await keyStore!.claim(key, shouldStop, keyWait);

		if (found === 'claimed') return undefined;
		if (found === 'stopped') return found;
		if (found === 'other: alreadySent') return OTHER_SENT;
		if (found === 'alreadySent') {
			if (isOfRetry) ledger.noteFound(message);
			return alreadySent(message, origin);
		}

		const resends = onUncertainDelivery === 'resend';
		if (isOfRetry && found === 'uncertain' && !resends) ledger.noteFound(message);
		// So that no later execution waits for it. Not after a tool's call, which waits less: its
		// holder may still release it. The content isn't marked: it can be another message's.
		const waitedInFull = keyWait === undefined;
		if (resends || waitedInFull) await keyStore!.end('markUncertain', { key: key.key });

		if (resends) {
			message.before ??= { by: 'key' };
			return undefined;
		}
		return maybeSent(origin);
	}

	/**
	 * Writes to the keys what the ledger says of the message, and holds none any more. If that isn't
	 * possible, later executions take the message for uncertain: no reason to call it failed now.
	 */
	async end(): Promise<void> {
		const { keyStore, ledger, onProblem } = this.sending;
		const entry = ledger.get(this.message);
		const how = endOfKey(entry ? { by: 'ledger', entry } : this.message.before);
		const ends = this.held.splice(0).map(async (key) => await keyStore!.end(how, key));
		await Promise.all(ends).catch((error: unknown) =>
			onProblem(`a message's key couldn't be written, and is uncertain: ${errorMessage(error)}`),
		);
	}
}

/** How a key ends, by what's known of its message: nothing if nothing may have sent it. */
function endOfKey(before: Before | undefined): KeyEnd {
	if (before === undefined) return 'release';
	return before.by === 'ledger' && before.entry.record ? 'accept' : 'markUncertain';
}

/** A send-once key whose message has ended in an earlier try. */
export interface EndedKey {
	key: string;
	how: KeyEnd;
}

/** The keys of what earlier tries have ended: it may have been sent before it had a key. */
export const keysOfEnded = (items: PlannedItem[]): EndedKey[] =>
	items.flatMap(({ message, outcome }) => {
		const key = message && outcome && ownKey(message);
		if (key === undefined || message?.before?.by !== 'ledger') return [];
		return [{ key, how: endOfKey(message.before) }];
	});

function notChecked(error: unknown): Failed {
	if (error instanceof RunRejected) {
		return { delivery: 'rejected', failure: error.failure, isFatal: true };
	}
	const text = twoLines`Whether this message was sent before couldn't be \
			checked: ${errorMessage(error)}
		Check n8n's database if it happens again. The message may be uncertain in the next execution`;
	const n8nCause = { cause: 'temporarily-unavailable' } as const;
	return failed('rejected', text, { n8nCause, isUnsent: true });
}
