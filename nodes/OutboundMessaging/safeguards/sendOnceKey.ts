import { mapInTurns } from '../common/eventLoop';
import { misconfigured } from '../delivery/runRejected';
import { type Message, contentOf, ownKey, sentTo } from '../delivery/message';
import { twoLines } from '../common/twoLines';
import { quoteForError } from '../validation/invalidValue';

export const SEND_ONCE_KEY = { name: 'safeguards.sendOnceKey', label: 'Send Once Key' };

/** Of two different messages to one customer with one key, one would be skipped unseen. @throws RunRejected */
export async function requireSameContentForSameKey(messages: Message[]): Promise<void> {
	const first = new Map<string, Message>();
	await mapInTurns(messages, (message) => {
		const key = ownKey(message);
		if (key === undefined) return;
		const other = first.get(key) ?? message;
		first.set(key, other);
		if (contentOf(other) !== contentOf(message)) {
			const { label } = SEND_ONCE_KEY;
			const text = twoLines`'${label}' is ${quoteForError(message.sendOnceKey)} for both item ${other.itemIndex} and item ${message.itemIndex} (n8n counts items from 0), and both go to ${sentTo(message)}, but their messages differ
				Add to '${label}' what tells the messages apart, e.g. the time, the name or the kind of message`;
			throw misconfigured(text, 'invalidInput');
		}
	});
}
