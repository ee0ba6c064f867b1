import { errorMessage } from '../../common/errorMessage';
import { twoLines } from '../../common/twoLines';
import { alreadySent, maybeSentElsewhere } from '../deliveryOutcomes';
import { type Message, keysOf, ownKey } from '../message';
import { type Failed, type Outcome, failed, isFailed } from '../outcome';
import type { Sending } from '../sending';

/** The keys of one message, held together for one request. */
export class MessageKeys {
	private held: string[] = [];

	constructor(
		private readonly message: Message,
		private readonly sending: Sending,
	) {}

	/** @returns why the message must not be sent; undefined if it may. Some keys may be held in both cases */
	async claim(): Promise<Outcome | 'stopped' | undefined> {
		if (this.sending.keyStore === undefined) return undefined;
		for (const key of keysOf(this.message)) {
			const notClaimed = await this.claimOne(key).catch((error: unknown) => keyNotChecked(error));
			if (notClaimed !== undefined) return notClaimed;
			this.held.push(key);
		}
		return undefined;
	}

	private async claimOne(key: string): Promise<Outcome | 'stopped' | undefined> {
		const { message } = this;
		const { keyStore, keyWait, memory, onUncertainDelivery, shouldStop } = this.sending;
		const claim = await keyStore!.claim(key, shouldStop, keyWait);
		if (claim === 'claimed') return undefined;
		if (claim === 'stopped') return claim;
		if (claim === 'alreadySent') return alreadySent(message, key !== ownKey(message));

		const resends = onUncertainDelivery === 'resend';
		// Then no later execution waits for it. After a wait that was cut short, its holder may still release it.
		if (resends || keyWait === undefined) await keyStore!.end('markUncertain', key);
		if (!resends) return maybeSentElsewhere(message);
		if (memory.get(message) === undefined) memory.rememberUncertain(message);
		return undefined;
	}

	/** A mark that's missing only makes a later execution take the message for uncertain: no reason to call it failed now. */
	async mark(how: 'accept' | 'markUncertain'): Promise<void> {
		const keys = this.held.splice(0);
		await markKeys(keys, how, this.sending);
	}

	/**
	 * Gives the keys back: the message wasn't sent this time.
	 * @param ended how it ended, or that it's tried again
	 * @returns the same, or how it ends instead when a key couldn't be released
	 */
	async release<Ended extends Outcome | string>(ended: Ended): Promise<Ended | Failed> {
		const { keyStore, memory } = this.sending;
		// An earlier try or execution may have sent it.
		const how = memory.get(this.message) ? 'markUncertain' : 'release';
		try {
			for (const key of this.held.splice(0)) await keyStore!.end(how, key);
			return ended;
		} catch (error) {
			return keyNotReleased(error, ended);
		}
	}
}

/** Marks keys as those of a message that was sent, or may have been. */
export async function markKeys(
	keys: string[],
	how: 'accept' | 'markUncertain',
	{ keyStore, onProblem }: Sending,
): Promise<void> {
	const problem = "the key of a message that was sent couldn't be marked";
	const marks = keys.map(async (key) => await keyStore!.end(how, key));
	await Promise.all(marks).catch((error: unknown) =>
		onProblem(`${problem}: ${errorMessage(error)}`),
	);
}

function keyNotChecked(error: unknown): Failed {
	const text = twoLines`Whether this message was sent before couldn't be checked: ${errorMessage(error)}
		This message wasn't sent. Execute the workflow with only this row, and check n8n's database if it happens again. The message may be uncertain in the next execution`;
	return failed('rejected', text, { n8nCause: { cause: 'temporarily-unavailable' } });
}

function keyNotReleased(error: unknown, ended: Outcome | string): Failed {
	const isFailure = typeof ended === 'object' && isFailed(ended);
	const unsent = isFailure ? ended : failed('notAttempted', NO_REQUEST);
	const { title, description } = unsent.failure;
	const text = twoLines`${title}. That couldn't be noted for later executions: ${errorMessage(error)}
		${description}. Later executions treat this message as uncertain`;
	return { ...unsent, failure: { ...unsent.failure, ...text } };
}

const NO_REQUEST = twoLines`This message wasn't sent
	Execute the workflow with only this row`;
