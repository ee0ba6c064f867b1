import { AS_TEXT, IN_CELL } from './dates';
import { InvalidValue, quoteForError } from './invalidValue';
import { type RejectedPattern, matching } from './patterns';
import { LIKE_A_SPREADSHEET_ERROR, SPREADSHEET_ERROR } from './spreadsheetErrors';

/** As ECMAScript's Date.prototype.toString() writes it. What toUTCString() and toDateString() write, people do, too. */
const DATE_OF_JAVASCRIPT =
	/[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d -?\d{4,6} \d\d:\d\d:\d\d GMT[+-]\d{4}(?: \([^()]*\))?/;
/** What stands for a date that couldn't be read. Not "Invalid Date of Birth" or "an invalid date", which people write. */
const INVALID_DATE =
	/(?<!\ban )\binvalid (?:(?:DateTime|Duration|Interval)\b|date(?!\w| (?:of|formats?|ranges?|fields?|entered|given|selected)\b))/i;

const spreadsheetError = (pattern: RegExp) =>
	matching(pattern)`a spreadsheet's error
		Correct the cell in the spreadsheet, or filter out this row before this step`;

/** What no customer should read, each with what it comes from and how to fix it. All of them are found in linear time. */
const KINDS: RejectedPattern[] = [
	matching(/\[object [A-Z]\w*\]/)`several values at once
		Replace it with one value, or map one of its fields, e.g. {{ $json.customer.name }}`,
	matching(DATE_OF_JAVASCRIPT)`a date as a program writes it
		${AS_TEXT}`,
	matching(INVALID_DATE)`the date couldn't be read
		${IN_CELL}`,
	matching(/\{\{[^{}]*\}\}|\{\{\s*[$"'[(]|^=[^]*?\{\{/)`a placeholder that wasn't filled
		Replace it with the value. If it's written in this node, switch the field from Fixed to Expression`,
	spreadsheetError(SPREADSHEET_ERROR),
	matching(/[\0\p{Surrogate}]/u)`a NUL character or half of an emoji, which services reject
		Remove it from the text. Half of an emoji is left where a text was cut in the middle of one`,
];

/** What an expression gives for a field that isn't there. In a text, it can be a word like others; in a path, so is "null". */
const MISSING = matching(
	/(?<![\p{L}\p{N}])undefined(?![\p{L}\p{N}])|(?<![\p{L}\p{N}_+-])NaN(?![\p{L}\p{N}_+-])|\/null(?=[./?#]|$)/u,
)`what an expression gives for a missing field
	Replace it with the value, or check that the input item has each field of the expression`;

/** Text for a customer, as it is, unless certainly no customer should read it. */
export function intactText(text: string, kinds = KINDS): string {
	for (const { pattern, title, description = '' } of kinds) {
		const [found] = pattern.exec(text) ?? [];
		if (found === undefined) continue;
		throw new InvalidValue(`has ${quoteForError(found)}: ${title}`, description);
	}
	return text;
}

/** A value that isn't a text of its own, such as an attribute: the words `undefined` and `NaN` are no part of it, either. */
export const intactValue = (text: string): string => intactText(text, [...KINDS, MISSING]);

/** Code of an expression that lacks its braces: n8n doesn't evaluate it. As a key, it would be the same for all. */
const CODE = matching(
	/\$(?:json|input|items?|node|vars|now|today|fromAI)(?=\.\w|[[(])|\$\((?=['"])/,
)`code of an expression without braces
	Put it in {{ }}, and switch the field to Expression`;

/** An ID or a key. It isn't a hashtag or code, either. */
export const intactId = (text: string): string =>
	intactText(intactValue(text), [spreadsheetError(LIKE_A_SPREADSHEET_ERROR), CODE]);

/** Not in a URL. */
const ISO_TIME = /(?<![\w=/])\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/;
/** A calculation's result that no one has rounded: 15 digits or more. Not a place in the URL of a map, and no part of a longer number. */
const UNROUNDED = /(?<![\w.,=/@+-])-?(?=(?:\d[.,]?){15})\d+[.,]\d{3,}(?![.,]?\d)/;

/** What a program hardly wrote for people, though someone may have meant it; undefined for nothing. */
export const oddWord = (text: string): string | undefined =>
	[MISSING.pattern, CODE.pattern, ISO_TIME, UNROUNDED].flatMap(
		(pattern) => pattern.exec(text) ?? [],
	)[0];
