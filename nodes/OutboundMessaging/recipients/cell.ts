import { type RejectedPattern, matching } from '../validation/invalidValue';
import { everywhere, exactly, inAnyCase, trimmed } from '../common/text';

const QUOTES = '"\'`´‘’‚“”„«»';
/**
 * A spreadsheet's apostrophe, the quotes and separators of CSV, and ="0042" or =+49…
 * against formulas.
 */
const AROUND = new RegExp(`^=?[${QUOTES}]+|^=(?=\\+)|[${QUOTES}\\s,;]+$`, 'g');
/**
 * The number of a link or of a gateway's ID is a full international one. What follows it in an
 * ID is the device.
 */
const LINK = inAnyCase`^[a-z:/.]*(?:wa\.me/|send/?\?phone=)(?:\+|%2B)?(\d+)/?(?:[?&#][^]*)?$`;
const GATEWAY_ID = inAnyCase`^\+?(\d+)(?:[._:]\d+)*@(?:s\.whatsapp\.net|c\.us)$`;
/** Longer than any link to a number that people have; patterns take time. */
const LONGEST_WRAPPED = 1000;

/** Brackets, plus signs and hyphens of East Asia. */
const WIDE_SIGN = everywhere`[\uFF08-\uFF0F]`;
const narrow = (sign: string) => sign.normalize('NFKC');

/** A digit of another script. */
const OTHER_DIGIT = everywhere`(?![0-9])\p{Nd}`;

/** The value of a digit. Each script has its ten digits in a row, from zero up. */
function decimal(digit: string) {
	const code = digit.codePointAt(0) ?? 0;
	let first = code;
	while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) {
		first--;
	}
	return String((code - first) % 10);
}

/** The number or the ID itself, as one cell of an export or one field of an event holds it. */
export function unwrap(cell: string): string {
	const text = trimmed(cell);
	if (text.length > LONGEST_WRAPPED) return text;
	const plain = text.replace(OTHER_DIGIT, decimal).replace(WIDE_SIGN, narrow);
	return trimmed(plain.replace(AROUND, '').replace(LINK, '+$1').replace(GATEWAY_ID, '+$1'));
}

const YEAR = '(?:19|20)\\d\\d';
const MONTH = '(?:0?[1-9]|1[0-2])';
const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const YEAR_FIRST = `${YEAR}([-./])${MONTH}\\1${DAY}`;
/** A year of two digits is only at the end. */
const YEAR_LAST = `${DAY}([-./])${DAY}\\2(?:${YEAR}|\\d\\d$)`;

/** What is neither a number nor an ID, whoever sent it. */
export const NO_RECIPIENT: RejectedPattern[] = [
	matching(exactly`^(?:${YEAR_FIRST}|${YEAR_LAST})(?!\d)`)`looks like a date`,
	matching(inAnyCase`^\+?\d+(?:[.,]\d+)?E[+-]?\d+$`)`is in scientific notation, so digits are lost
		Format the column as plain text, then enter the numbers again`,
	matching(inAnyCase`^(?:null|none|nil|n/?a|unknown|false|true)$`)`stands for no value`,
	// The one of an account (LID), and that of a business's customer: `US.13491208655302741918`.
	matching(
		inAnyCase`@(?:hosted\.)?lid$|^[A-Z]{2}\.(?:ENT\.)?\w*\d\w*$`,
	)`is a hidden user ID of WhatsApp, not a phone number`,
	matching(
		inAnyCase`@(?:g\.us|broadcast|newsletter)$`,
	)`is a group or channel of WhatsApp, not one person`,
	matching(exactly`^[^\s@]+@[^\s@]+\.[^\s@]+$`)`is an email address`,
];
