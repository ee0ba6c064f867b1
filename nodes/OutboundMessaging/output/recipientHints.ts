import type { IExecuteFunctions } from 'n8n-workflow';

import { mapInTurns } from '../common/eventLoop';
import { type Message, sentTo } from '../delivery/message';
import { countryName } from '../validation/countries';
import { lookUp } from '../validation/nationalNumber';
import { addHints } from './hints';
import { countTexts } from './words';

/** No one has these numbers: the sandbox and the examples use them. */
const MADE_UP = /^\+(?:1555|447700900)/;
/** An ID with fewer digits is hardly a phone number. */
const SHORTEST_PHONE = 10;

/** What the recipients of a list say about it: what may be a mistake but can be right, and for a dry run where they are. */
export async function addRecipientHints(
	context: IExecuteFunctions,
	messages: Message[],
	isDryRun: boolean,
): Promise<void> {
	const recipients = [
		...new Set(messages.map(({ tested, ...message }) => sentTo(tested ?? message))),
	];
	const numbers = await mapInTurns(recipients, (recipient) => {
		const isId = !recipient.startsWith('+');
		return { recipient, isId, ...lookUp(isId ? `+${recipient}` : recipient) };
	});
	const odd = numbers.filter((each) =>
		each.isId
			? each.isValid && each.recipient.length >= SHORTEST_PHONE
			: !each.isValid && !MADE_UP.test(each.recipient),
	);
	const places = countTexts(
		numbers.flatMap(({ isId, country }) =>
			isId ? [] : [country ? countryName(country) : 'unknown'],
		),
	);
	const [first] = odd;
	addHints(
		context,
		'warning',
		first &&
			(first.isId
				? `Customer IDs that may be phone numbers: ${odd.length}, e.g. ${first.recipient}. This operation needs the IDs that the service gives its customers`
				: `Phone numbers that may not exist: ${odd.length}, e.g. ${first.recipient}. They aren't rejected, since a numbering plan can be newer than this node`),
	);
	addHints(
		context,
		'info',
		isDryRun &&
			places.length > 0 &&
			`Dry run: recipients by country: ${places.map(([place, count]) => `${place} ${count}`).join(', ')}`,
	);
}
