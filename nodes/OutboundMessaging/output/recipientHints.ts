import type { IExecuteFunctions } from 'n8n-workflow';

import { mapInTurns } from '../common/eventLoop';
import { type Message, sentTo } from '../delivery/message';
import { countryName } from '../recipients/countries';
import { numberFacts } from '../recipients/nationalNumber';
import { addHints } from './hints';
import { countTexts } from './counts';

/** No one has these numbers: the sandbox and the examples use them. */
const MADE_UP = /^\+(?:1555|447700900)/;

/** What the recipients of a list say about it: what may be a mistake but can be right, and for a dry run where they are. */
export async function addRecipientHints(
	context: IExecuteFunctions,
	messages: Message[],
	isDryRun: boolean,
): Promise<void> {
	const recipients = new Set(messages.map((message) => sentTo(message.tested ?? message)));
	const numbers = await mapInTurns([...recipients], (recipient) => ({
		recipient,
		...numberFacts(recipient.replace(/^(?!\+)/, '+')),
	}));
	const isId = numbers[0]?.recipient.startsWith('+') === false;
	// A shorter ID is hardly a phone number.
	const odd = numbers.filter(({ recipient, isValid }) =>
		isId ? isValid && recipient.length >= 10 : !isValid && !MADE_UP.test(recipient),
	);
	const found = `${odd.length}, e.g. ${odd[0]?.recipient}`;
	const mistake = isId
		? `Customer IDs that may be phone numbers: ${found}. This operation needs the IDs that the service gives its customers`
		: `Phone numbers that may not exist: ${found}. They aren't rejected, since a numbering plan can be newer than this node`;
	const names = numbers.map(({ country }) => (country ? countryName(country) : 'unknown'));
	const places = countTexts(names).map((counted) => counted.join(' '));
	const isShown = isDryRun && !isId && places.length > 0;
	addHints(context, 'warning', odd.length > 0 && mistake);
	addHints(context, 'info', isShown && `Dry run: recipients by country: ${places.join(', ')}`);
}
