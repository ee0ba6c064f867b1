import { type ErrorText, twoLines } from '../common/twoLines';
import { InvalidValue, quoteForError } from './invalidValue';

/** What a value can be by its look: a pattern, and the two lines of an error. Without the second one, the fix is the caller's. */
export interface Look extends Partial<ErrorText> {
	pattern: RegExp;
}
export const look =
	(pattern: RegExp) =>
	(...lines: Parameters<typeof twoLines>): Look => ({ pattern, ...twoLines(...lines) });

/** Rejects a value by its look. An error shows it as given. */
export function requireOtherLook(text: string, given: unknown, looks: Look[], fix: string): void {
	const { title, description = fix } = looks.find(({ pattern }) => pattern.test(text)) ?? {};
	if (title !== undefined) throw new InvalidValue(`${quoteForError(given)} ${title}`, description);
}
