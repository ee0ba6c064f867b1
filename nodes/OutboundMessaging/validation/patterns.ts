import { type ErrorText, twoLines } from '../common/errorText';
import { invalid, quoteForError } from './invalidValue';

/**
 * A pattern of characters, not of halves of them: a text, so that it can have parts and several
 * lines, and be read as one.
 */
export const exactly = (raw: TemplateStringsArray, ...parts: string[]) =>
	new RegExp(String.raw(raw, ...parts).replace(/\n\t+/g, ''), 'u');
/** Such a pattern, in capitals or not. */
export const inAnyCase = (...text: Parameters<typeof exactly>) =>
	new RegExp(exactly(...text), 'iu');
/** Such a pattern, wherever it is in a text: to replace it there, or to list it. */
export const everywhere = (...text: Parameters<typeof exactly>) =>
	new RegExp(exactly(...text), 'gu');

/**
 * A pattern of values that are rejected, and the two lines of their error. Without the second one,
 * the fix is the caller's.
 */
export interface RejectedPattern extends Partial<ErrorText> {
	pattern: RegExp;
}
/** A rejected pattern, e.g. matching(/@/)`has an at sign\n\tRemove it`. */
export const matching =
	(pattern: RegExp) =>
	(...lines: Parameters<typeof twoLines>): RejectedPattern => ({ pattern, ...twoLines(...lines) });

/**
 * Rejects a text that has one of the patterns; the error shows the value as given.
 * @throws InvalidValue
 */
export function rejectMatching(
	text: string,
	given: unknown,
	patterns: RejectedPattern[],
	fix: string,
) {
	const { title, description = fix } = patterns.find(({ pattern }) => pattern.test(text)) ?? {};
	if (title === undefined) return;
	throw invalid`${quoteForError(given)} ${title}
		${description}`;
}
