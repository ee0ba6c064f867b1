import { type ErrorText, twoLines } from '../common/errorText';
import { InvalidValue, quoteForError } from './invalidValue';

/** A pattern of values that are rejected, and the two lines of their error. Without the second one, the fix is the caller's. */
export interface RejectedPattern extends Partial<ErrorText> {
	pattern: RegExp;
}
/** A rejected pattern, e.g. matching(/@/)`has an at sign\n\tRemove it`. */
export const matching =
	(pattern: RegExp) =>
	(...lines: Parameters<typeof twoLines>): RejectedPattern => ({ pattern, ...twoLines(...lines) });

/** Rejects a text that has one of the patterns; the error shows the value as given. @throws InvalidValue */
export function rejectMatching(
	text: string,
	given: unknown,
	patterns: RejectedPattern[],
	fix: string,
): void {
	const { title, description = fix } = patterns.find(({ pattern }) => pattern.test(text)) ?? {};
	if (title !== undefined) throw new InvalidValue(`${quoteForError(given)} ${title}`, description);
}
