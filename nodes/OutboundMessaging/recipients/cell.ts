import { type RejectedPattern, matching } from '../validation/rejectedPattern';
import { trimmed } from '../validation/whitespace';

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

/** What is neither a number nor an ID, whoever sent it. */
export const NO_RECIPIENT: RejectedPattern[] = [
	// A day with its year in the usual orders, and what may follow it; a year of two digits only at the end.
	matching(
		/^(?:(?:19|20)\d\d([-./])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])([-./])(?:0?[1-9]|[12]\d|3[01])\2(?:(?:19|20)\d\d|\d\d$))(?!\d)/,
	)`looks like a date`,
	matching(/^\+?\d+(?:[.,]\d+)?E[+-]?\d+$/i)`is in scientific notation, so digits are lost
		Format the column as plain text, then enter the numbers again`,
	matching(/^(?:null|none|nil|n\/?a|unknown|false|true)$/i)`stands for no value
		Filter out the items without one`,
	matching(/@lid$/i)`is a hidden ID of WhatsApp (LID), not a phone number`,
	matching(/@(?:g\.us|broadcast|newsletter)$/i)`is a group or channel of WhatsApp, not one person`,
	matching(/^[^\s@]+@[^\s@]+\.[^\s@]+$/)`is an email address`,
];
