import { errorMessage } from '../../common/errorMessage';
import { twoLines } from '../../common/twoLines';
import { alreadySent, maybeSentElsewhere } from '../deliveryOutcomes';
import { type Message, ownKey } from '../message';
import { type Failed, type Failure, type Outcome, failed } from '../outcome';
import type { Sending } from '../sending';

/** The keys of one message, held together for one request. */
export class MessageKeys {
	/** Whether an earlier execution left a key uncertain, and this one sends the message again. */
	wasUncertain = false;
	private held: string[] = [];

	constructor(
		private readonly message: Message,
		private readonly keys: string[],
		private readonly sending: Sending,
	) {}

	/** @returns an outcome when the message must not be sent; then no key is held */
	async claim(): Promise<Outcome | 'claimed' | 'stopped'> {
		for (const key of this.keys) {
			const claim = await this.claimOne(key).catch((error: unknown) =>
				keyNotChecked(this.message, error),
			);
			if (claim === 'claimed') continue;
			await this.release();
			return claim;
		}
		return 'claimed';
	}

	private async claimOne(key: string): Promise<Outcome | 'claimed' | 'stopped'> {
		const { keyStore, keyWait, shouldStop } = this.sending;
		const resends = this.sending.onUncertainDelivery === 'resend';
		const claim = await keyStore!.claim(key, shouldStop, keyWait);
		if (claim === 'claimed') this.held.push(key);
		if (claim === 'alreadySent') return alreadySent(this.message, key !== ownKey(this.message));
		if (claim !== 'uncertain') return claim;
		// Then no later execution waits for it. After a wait that was cut short, its holder may still release it.
		if (resends || keyWait === undefined) await keyStore!.end('markUncertain', key);
		if (!resends) return maybeSentElsewhere(this.message);
		this.wasUncertain = true;
		return 'claimed';
	}

	/** A mark that's missing only makes a later execution take the message for uncertain: no reason to call it failed now. */
	async mark(how: 'accept' | 'markUncertain'): Promise<void> {
		const marks = this.keys.map(async (key) => await this.sending.keyStore!.end(how, key));
		const problem = "the key of a message that was sent couldn't be marked";
		await Promise.all(marks).catch((error: unknown) =>
			this.sending.onProblem(`${problem}: ${errorMessage(error)}`),
		);
	}

	/** The message was certainly not sent this time. @returns what became of it instead, when a key couldn't be released */
	async release(failure?: Failure): Promise<Failed | undefined> {
		const held = this.held.splice(0);
		try {
			if (this.wasUncertain) await this.mark('markUncertain');
			else for (const key of held) await this.sending.keyStore!.end('release', key);
			return undefined;
		} catch (error) {
			return keyNotReleased(this.message, failure, error);
		}
	}
}

function keyNotChecked({ sendOnceKey }: Message, error: unknown): Failed {
	const what =
		sendOnceKey === undefined ? 'Whether another retry sent this message' : "'Send Once Key'";
	const text = twoLines`${what} couldn't be checked: ${errorMessage(error)}
		This message wasn't sent. Execute the workflow with only this row, and check n8n's database if it happens again. The message may be uncertain in the next execution`;
	return failed('rejected', text, { n8nCause: { cause: 'temporarily-unavailable' } });
}

/** @param failure why the message wasn't sent; undefined when no request was made */
function keyNotReleased(
	{ sendOnceKey }: Message,
	failure: Failure | undefined,
	error: unknown,
): Failed {
	const { title, description } = failure ?? NO_REQUEST;
	const [what, then] =
		sendOnceKey === undefined
			? [
					"That couldn't be noted for other retries",
					'Another retry treats this message as uncertain',
				]
			: [
					"Its send-once key couldn't be released",
					'The next execution treats this message as uncertain unless you give it another key',
				];
	const text = twoLines`${title}. ${what}: ${errorMessage(error)}
		${description}. ${then}`;
	return failed(failure ? 'rejected' : 'notAttempted', text, failure);
}

const NO_REQUEST = twoLines`This message wasn't sent
	Execute the workflow with only this row`;
