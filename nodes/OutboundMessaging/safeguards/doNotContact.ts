import { jsonParse } from 'n8n-workflow';

import { mapAndYield } from '../common/eventLoop';
import { type ErrorText, twoLines } from '../common/failure';
import { skipped, type SkipReason } from '../delivery/message';
import { type CheckFacts, field } from '../parameters/field';
import type { Safeguard } from './safeguard';
import { isObject } from '../common/isObject';
import { invalid, quoteForError } from '../validation/invalidValue';
import { exactly } from '../common/text';

/**
 * A list from a table that may be empty: n8n's placeholder has no fields. A row whose field has a
 * typo in its name has others.
 */
const OPT_OUTS =
	"{{ $('Opt-outs').all().filter((row) => Object.keys(row.json).length > 0).map((row) " +
	'=> row.json.phone) }}';

const BLOCKED: SkipReason = {
	reason: 'doNotContact',
	hasMessage: false,
	forPeople: "on 'Do Not Contact'",
	forAgents: 'This customer must not be contacted.',
	forReviewers: "The person who approves is on the 'Do Not Contact' list.",
};

export const doNotContact = {
	...field(
		'Do Not Contact',
		'Recipients who get no message: a list, or one per line. Phone numbers for templates, ' +
			'otherwise customer IDs.',
		{
			typeOptions: { rows: 3 },
			placeholder: 'e.g. +15550100200, +15550100201, +15550100202',
			off: new Set<string>(),
			check: doNotContactList,
		},
	),
	judges: {
		planned: (message, list) =>
			list.has(message.recipient) ? skipped(message, BLOCKED) : undefined,
	},
} satisfies Safeguard<Set<string>>;

/**
 * Reads the list of recipients who get no message. Thousands of national numbers take seconds.
 * @param value a list, or text with one entry per line or separated by commas; empty
 *   entries are ignored
 * @returns every recipient that an entry can mean: an ambiguous phone number blocks
 *   both of its readings
 * @throws InvalidValue: without a list, or with an entry that can't be understood, it's unknown who
 *   must get no message
 */
export async function doNotContactList(value: unknown, { recipientField, countries }: CheckFacts) {
	const text = typeof value === 'number' ? String(value) : value;
	const entries = typeof text === 'string' ? entriesOf(text) : text;
	if (!Array.isArray(entries)) {
		throw invalid`is ${quoteForError(value)}, not a list
			Map a list of recipients, e.g. ${OPT_OUTS}. If the list itself may be missing, end \
				the expression with ?? []`;
	}
	// Entries that are all empty come from a field name with a typo: contacting everyone would be the
	// opposite of the list.
	if (entries.length > 0 && entries.every(isEmptyEntry)) {
		throw invalid`has only empty entries: the expression found no values
			Check the field name in the expression. If the table may be empty, leave out the item \
				without fields that 'Always Output Data' gives: ${OPT_OUTS}`;
	}
	if (entries.some((entry) => Array.isArray(entry) || isObject(entry))) {
		throw invalid`is a list of ${entries.some(Array.isArray) ? 'lists' : 'rows'}, not of recipients
			Take the recipient from each row, e.g. ${OPT_OUTS}`;
	}
	const recipients = new Set<string>();
	const rejected: ErrorText[] = [];
	await mapAndYield(entries, (entry, index) => {
		if (isEmptyEntry(entry)) return;
		try {
			const readings = recipientField.readings(entry, countries);
			for (const recipient of readings) recipients.add(recipient);
		} catch (error) {
			const isHeader = index === 0 && entries.length > 1 && HEADER.test(String(entry));
			const header = twoLines`${quoteForError(entry)} looks like the header of a column
				Leave out the header line`;
			const { title, description } = isHeader ? header : (error as ErrorText);
			rejected.push(twoLines`entry ${index + 1} ${title}
				${description}`);
		}
	});
	if (rejected.length === 0) return recipients;
	const [{ description }] = rejected;
	const listed = rejected.slice(0, MAX_LISTED).map(({ title }) => title);
	const others = rejected.length - listed.length;
	if (others > 0) listed.push(`and ${others} more`);
	throw invalid`has entries that can't be used: ${listed.join('; ')}
		${description}`;
}

/**
 * A text has one entry per line, or separated by commas or a table's tabs; a list in JSON
 * becomes one again.
 */
function entriesOf(text: string): unknown[] {
	const list: unknown = jsonParse(text, { fallbackValue: '' });
	return Array.isArray(list) ? list : text.split(/[\n\r\t,;]/);
}

const isEmptyEntry = (entry: unknown) => !Array.isArray(entry) && String(entry ?? '').trim() === '';

const HEADER = exactly`^[^\d@#]*\p{L}[^\d@#]*$`;
const MAX_LISTED = 10;
