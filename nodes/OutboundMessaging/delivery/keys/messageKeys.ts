import { yieldInOrder } from '../../common/eventLoop';
import { errorMessage, twoLines } from '../../common/errorText';
import { alreadySent, maybeSentElsewhere, otherContentSent } from '../deliveryOutcomes';
import { type Message, keysOf } from '../message';
import { type Failed, type Outcome, failed } from '../outcome';
import { RunRejected } from '../runRejected';
import type { Sending } from '../sending';
import type { Key } from './keyStates';
import { keyEnd } from './keyStore';

/** The keys of one message, held together for one request. */
export class MessageKeys {
	private held: Key[] = [];

	constructor(
		private readonly message: Message,
		private readonly sending: Sending,
	) {}

	/** @returns why the message must not be sent; undefined if it may. Some keys may be held in both cases */
	async claim(): Promise<Outcome | 'stopped' | undefined> {
		for (const key of keysOf(this.message)) {
			const notClaimed = await this.claimOne(key).catch(notChecked);
			// Many claims end at the same moment.
			await yieldInOrder();
			if (notClaimed !== undefined) return notClaimed;
			this.held.push(key);
		}
		return undefined;
	}

	/**
	 * Claims one key. What becomes of the message and the key, by how the key is found, and for an uncertain key by 'If Delivery
	 * Is Uncertain'. A key that's still held after the wait is uncertain, too:
	 *
	 *   the key                       the message                              the key then
	 *   is free                       may be sent, unless it can't be told     is held, or free again
	 *                                 which messages another retry has sent
	 *   was accepted                  was sent already                         stays so
	 *   … by a retry, other content   is rejected                              stays so
	 *   is uncertain, Don't Resend    may have been sent                       is uncertain, unless its holder may still release it
	 *   is uncertain, Resend          may be sent, uncertain if it isn't       is uncertain, and held
	 */
	private async claimOne(key: Key): Promise<Outcome | 'stopped' | undefined> {
		const { message } = this;
		const { keyStore, keyWait, ledger, onUncertainDelivery, shouldStop } = this.sending;
		const claim = await keyStore!.claim(key.key, shouldStop, keyWait, key.content);
		if (claim === 'claimed' && key.content !== undefined && ledger.isMixedUp(message)) {
			await keyStore!.end('release', key.key, key.content);
			return otherContentSent();
		}
		if (claim === 'claimed') return undefined;
		if (claim === 'stopped') return claim;
		if (claim === 'alreadySent') return alreadySent(message, key.content !== undefined);
		if (claim === 'otherSent') {
			ledger.noteMixedUp(message);
			return otherContentSent();
		}

		const resends = onUncertainDelivery === 'resend';
		// Then no later execution waits for it. A tool's call has waited less, and its holder may still release it.
		if (resends || keyWait === undefined) await keyStore!.end('markUncertain', key.key);
		if (!resends) return maybeSentElsewhere(key.content !== undefined);
		message.before ??= { by: 'key' };
		return undefined;
	}

	/**
	 * Writes to the keys what the ledger says of the message, and holds none any more. If that isn't possible, later executions
	 * take the message for uncertain: no reason to call it failed now.
	 */
	async end(): Promise<void> {
		const { keyStore, ledger, onProblem } = this.sending;
		const entry = ledger.get(this.message);
		const how = keyEnd(entry ? { by: 'ledger', entry } : this.message.before);
		const ends = this.held
			.splice(0)
			.map(async ({ key, content }) => await keyStore!.end(how, key, content));
		await Promise.all(ends).catch((error: unknown) =>
			onProblem(`a message's key couldn't be written, and is uncertain: ${errorMessage(error)}`),
		);
	}
}

function notChecked(error: unknown): Failed {
	if (error instanceof RunRejected) {
		return { delivery: 'rejected', failure: error.failure, isFatal: true };
	}
	const text = twoLines`Whether this message was sent before couldn't be checked: ${errorMessage(error)}
		Check n8n's database if it happens again. The message may be uncertain in the next execution`;
	const n8nCause = { cause: 'temporarily-unavailable' } as const;
	return failed('rejected', text, { n8nCause, isUnsent: true });
}
