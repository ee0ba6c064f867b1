import { mapInTurns } from '../common/eventLoop';
import { contentOf } from '../delivery/fingerprint';
import { misconfigured } from '../delivery/runRejected';
import { type Message, ownKey, sentTo } from '../delivery/message';
import { twoLines } from '../common/twoLines';
import { keyText } from '../validation/identifier';
import { invalid, quoteForError, requireExact } from '../validation/invalidValue';
import { isInvisible } from '../validation/whitespace';
import type { Parameters } from './parameters';
import { plainPathsIn } from './plainPath';

export const SEND_ONCE_KEY = { name: 'safeguards.sendOnceKey', label: 'Send Once Key' };

/**
 * The check of a send-once key. In a text, each plain path must find a value: otherwise several messages to a customer
 * would share one key. What other expressions give is the user's word.
 * @param stored as the workflow has it, with expressions anywhere inside
 * @returns the check, which throws InvalidValue
 */
export function keyCheck(
	parameters: Parameters,
	stored: unknown,
): (value: unknown, itemIndex: number) => string {
	const paths = plainPathsIn(stored);
	return (value, itemIndex) => {
		const key = keyText(value);
		for (const path of paths) {
			const part = parameters.evaluate(path, itemIndex);
			if (typeof part === 'number') requireExact(part);
			// As n8n joins it into the text: nothing, null and an empty list are empty.
			if (!isInvisible(String([part]))) continue;
			throw invalid`is incomplete: ${quoteForError(path)} found no value
				Check that the input item has this field: without it, several messages to one customer would share a key, and only the first one would be sent`;
		}
		return key;
	};
}

/**
 * Two messages to one customer with one key must be the same message: otherwise one of them would be skipped unseen.
 * @throws RunRejected
 */
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
