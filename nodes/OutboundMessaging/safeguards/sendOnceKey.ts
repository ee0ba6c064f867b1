import { mapAndYield } from '../common/eventLoop';
import { misconfigured, twoLines } from '../common/failure';
import { ownKey } from '../delivery/keys/keyStates';
import { type Message, contentOf, sentTo } from '../delivery/message';
import { type CheckFacts, field } from '../parameters/field';
import { requireLasting } from './lastingKey';
import { identifier } from '../validation/text';
import { invalid, quoteForError } from '../validation/invalidValue';

const LABEL = 'Send Once Key';

/** For each message, delivery/keys/ asks whether it was sent before. */
export const sendOnceKey = field(
	LABEL,
	'What the message is about, e.g. an order. This node sends each customer one message per ' +
		'key, in later executions too, for its newest 20,000 keys.',
	{ placeholder: 'e.g. {{ $json.orderId }}-confirmation', isPerItem: true, check: keyFrom },
);

/**
 * What stands for nothing would be one key for all: words for it, and texts without any
 * letter or digit.
 */
const NOTHING = /^(?:null|none|nil|n\/?a|false|true|[^\p{L}\p{N}]+)$/iu;

function keyFrom(value: unknown, { raw }: Pick<CheckFacts, 'raw'>): string {
	requireLasting(String(raw));
	const key = identifier(value);
	if (!NOTHING.test(key)) return key;
	throw invalid`${quoteForError(key)} stands for no value
		Use what tells this message from others, e.g. the ID of the order`;
}

/**
 * Rejects two different messages to one customer with one key: one would be skipped unseen.
 * @throws RunRejected
 */
export async function requireSameContentForSameKey(messages: Message[]): Promise<void> {
	const first = new Map<string, Message>();
	await mapAndYield(messages, (message) => {
		const key = ownKey(message);
		if (key === undefined) return;
		const other = first.get(key) ?? message;
		first.set(key, other);
		if (contentOf(other) === contentOf(message)) return;
		const text = twoLines`'${LABEL}' is ${quoteForError(message.sendOnceKey)} for both item \
				${other.itemIndex} and item ${message.itemIndex} (n8n counts items from 0), and both go to \
				${sentTo(message)}, but their messages differ
			Add to '${LABEL}' what tells the messages apart, e.g. the time, the name or the kind of \
				message. With another key, what was sent before is sent again: leave out \
				the rows that were sent`;
		throw misconfigured(text, 'invalidInput');
	});
}
