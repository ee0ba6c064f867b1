import { InvalidValue, quoteForError } from './invalidValue';
import { trimmed } from './whitespace';

/** What exports and gateways put around a number or an ID. The number of a link or a JID is a full international one. */
const WRAPPERS: Array<[RegExp, string]> = [
	// A spreadsheet's apostrophe, the quotes and separators of CSV, and ="0042" or =+49… against formulas.
	[/^=?["'`´‘’‚“”„«»]+|^=(?=\+)|["'`´‘’“”«»\s,;]+$/g, ''],
	[
		/^(?:\w+:\/\/)?(?:www\.)?(?:wa\.me\/|(?:(?:api\.)?whatsapp\.com\/)?send\/?\?phone=)(?:\+|%2B)?(\d+)\/?(?:[?&#].*)?$/is,
		'+$1',
	],
	// Behind the number, the device.
	[/^\+?(\d+)(?:[._:]\d+)*@(?:s\.whatsapp\.net|c\.us)$/i, '+$1'],
];
/** Longer than any link to a number that people have; patterns take time. */
const LONGEST_WRAPPED = 1000;

/** Digits of Arabic and Persian, and wide digits and signs of East Asia. */
const OTHER_SCRIPTS = /[\u0660-\u0669\u06F0-\u06F9\uFF08-\uFF19]/g;
const asAscii = (char: string) =>
	char < '\uFF00'
		? String(char.charCodeAt(0) % 16)
		: String.fromCharCode(char.charCodeAt(0) - 0xfee0);

/** The number or the ID itself, as one cell of an export or one field of an event holds it. */
export function unwrapped(cell: string): string {
	const text = trimmed(cell).replace(OTHER_SCRIPTS, asAscii);
	if (text.length > LONGEST_WRAPPED) return text;
	const inside = WRAPPERS.reduce((rest, [pattern, kept]) => rest.replace(pattern, kept), text);
	return trimmed(inside);
}

/** What a value is by its look, and how to fix it if mapping another field isn't the way. */
export type Look = [pattern: RegExp, what: string, fix?: string];

const AS_TEXT = 'Format the column as plain text, then enter the numbers again';
const FILTER = 'Filter out the items without one';
/** What is neither a number nor an ID, whoever sent it. */
export const NO_RECIPIENT: Look[] = [
	[
		// A day with its year, in the usual orders, and what may follow it.
		/^(?:(?:19|20)\d\d([-./])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])([-./])(?:0?[1-9]|[12]\d|3[01])\2(?:19|20)\d\d)(?!\d)/,
		'looks like a date',
	],
	[/^\+?\d+(?:[.,]\d+)?E[+-]?\d+$/i, 'is in scientific notation, so digits are lost', AS_TEXT],
	[/^(?:null|none|nil|n\/?a|unknown|false|true)$/i, 'stands for no value', FILTER],
	[/@lid$/i, 'is a hidden ID of WhatsApp (LID), not a phone number'],
	[/@(?:g\.us|broadcast|newsletter)$/i, 'is a group or channel of WhatsApp, not one person'],
	[/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'is an email address'],
];

/**
 * Rejects a value by its look.
 * @param given the value as an error shows it
 * @param map how to fix what has no fix of its own
 * @throws InvalidValue
 */
export function requireOtherLook(text: string, given: unknown, looks: Look[], map: string): void {
	const [, what, fix = map] = looks.find(([pattern]) => pattern.test(text)) ?? [];
	if (what !== undefined) throw new InvalidValue(`${quoteForError(given)} ${what}`, fix);
}
