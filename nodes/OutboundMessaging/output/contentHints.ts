import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { type Message, sentTo } from '../delivery/message';
import { quoteForError } from '../validation/invalidValue';
import { addHints } from './hints';
import { formatIndexes } from './words';

/** WhatsApp takes no longer text. */
const LONGEST_TEXT = 4096;

/** A list of so many messages hardly goes to one recipient. */
const LONG_LIST = 10;

/** Notes above the output about what the messages say, and to whom: what may be a mistake, but can be right. */
export function addContentHints(context: IExecuteFunctions, messages: Message[]): void {
	const hints = [oneRecipient(messages), longTexts(messages), differentVariables(messages)];
	addHints(context, 'warning', ...hints);
}

function oneRecipient(messages: Message[]): string | undefined {
	const [first] = messages;
	const isOther = ({ recipient, tested }: Message) => tested || recipient !== first.recipient;
	if (messages.length < LONG_LIST || messages.some(isOther)) return undefined;
	return `All ${messages.length} messages go to ${sentTo(first)}. If each item has its own recipient, map it from the item`;
}

function longTexts(messages: Message[]): string | undefined {
	const long = messages.flatMap(({ itemIndex, text = '' }) =>
		text.length > LONGEST_TEXT ? [{ itemIndex, length: text.length }] : [],
	);
	if (long.length === 0) return undefined;
	const longest = long.reduce((most, { length }) => Math.max(most, length), 0);
	const which = formatIndexes(long.map(({ itemIndex }) => itemIndex));
	return `The text of ${which} has up to ${longest} characters. WhatsApp takes ${LONGEST_TEXT} at most, other platforms may take more`;
}

/** Of one template, every message must have the same number of variables. */
function differentVariables(messages: Message[]): string | undefined {
	const firsts = new Map<string, { item: number; count: number }>();
	for (const { itemIndex, request } of messages) {
		const { template_id: template, attributes }: IDataObject = request.body;
		if (typeof template !== 'string') continue;
		const own = { item: itemIndex, count: Object.keys(attributes ?? {}).length };
		const first = firsts.get(template) ?? own;
		firsts.set(template, first);
		if (first.count === own.count) continue;
		const counts = [first, own].map(({ item, count }) => `${count} in item ${item}`).join(', ');
		return `Messages with template ${quoteForError(template)} have different numbers of variables: ${counts} (n8n counts items from 0). Set 'Template Text' under Options to check each item`;
	}
	return undefined;
}
