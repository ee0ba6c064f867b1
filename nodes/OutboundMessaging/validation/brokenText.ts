import { InvalidValue, quoteForError } from './invalidValue';
import { type RejectedPattern, matching } from './rejectedPattern';

/** What no customer should read, each with what it comes from and how to fix it. All of them are found in linear time. */
const KINDS: RejectedPattern[] = [
	matching(/\[object [A-Z]\w*\]/)`several values at once
		Map one of its fields, e.g. {{ $json.customer.name }}`,
	// Not "Invalid Date of Birth".
	matching(/\bInvalid Date(?:Time\b|(?!\w|\s+\w))/)`the date couldn't be read
		Check the date in the input item, and how the expression reads it. DateTime.fromFormat() reads a date in any format`,
	matching(/\{\{[^{}]*\}\}|\{\{\s*[$"'[(]|^=[^]*?\{\{/)`a placeholder that wasn't filled
		Switch the field from Fixed to Expression. If the text comes from the input item, fill in its placeholders before this step`,
	matching(/#(?:N\/A|REF!|NAME\?|VALUE!|ERROR!|DIV\/0!|NUM!|NULL!)(?!\w)/)`a spreadsheet's error
		Correct the cell in the spreadsheet, or filter out this row before this step`,
	matching(/[\0\p{Surrogate}]/u)`a NUL character or half of an emoji, which services reject
		Remove it before this step. Half of an emoji is left where a text was cut in the middle of one`,
];

/** What an expression gives for a field that isn't there. In a text, it can be a word like others; in a path, so is "null". */
const MISSING = matching(
	/(?<![\p{L}\p{N}])undefined(?![\p{L}\p{N}])|(?<![\p{L}\p{N}_+-])NaN(?![\p{L}\p{N}_+-])|\/null(?=[./?#]|$)/u,
)`what an expression gives for a missing field
	Check that the input item has each field of the expression`;

/** Text for a customer, as it is, unless certainly no customer should read it. */
export function intactText(text: string, kinds = KINDS): string {
	for (const { pattern, title, description = '' } of kinds) {
		const [found] = pattern.exec(text) ?? [];
		if (found === undefined) continue;
		throw new InvalidValue(`has ${quoteForError(found)}: ${title}`, description);
	}
	return text;
}

/** A value that isn't a text of its own, such as an ID: the words `undefined` and `NaN` are no part of it, either. */
export const intactValue = (text: string): string => intactText(text, [...KINDS, MISSING]);

/** The word `undefined` or `NaN` in a text, which someone may have written; undefined for none. */
export const missingWord = (text: string): string | undefined => MISSING.pattern.exec(text)?.[0];
