import { invalid, InvalidValue, quoteForError, requireText } from './invalidValue';
import { trimmed } from './whitespace';

/**
 * An object or a list, as an expression gives it or as JSON text.
 * @param fix for a value of another type
 * @param textFix for text that isn't JSON
 * @param emptyFix for an empty text
 * @throws InvalidValue
 */
export function parsedJson(value: unknown, fix: string, textFix = fix, emptyFix = fix): object {
	if (typeof value === 'object' && value !== null) return value;
	const text = trimmed(requireText(value, 'an object or a list', fix));
	if (text === '') throw new InvalidValue('is empty', emptyFix);
	if (!/^[{[]/.test(text)) {
		throw new InvalidValue(`${quoteForError(text)} isn't a JSON object or list`, textFix);
	}
	let parsed: object;
	try {
		parsed = JSON.parse(text) as object;
	} catch (error) {
		const { message } = error as Error;
		throw new InvalidValue(`isn't valid JSON: ${quoteForError(message, 150)}`, textFix);
	}
	requireSameNumbers(text);
	return parsed;
}

/** JSON reads 100.00 as 100 and rounds long numbers, and the customer would read that. */
function requireSameNumbers(json: string): void {
	const outsideOfTexts = json.replace(/\\./g, '').replace(/"[^"]*"/g, '');
	for (const [written] of outsideOfTexts.matchAll(/-?\d[^\s,\]}]*/g)) {
		const read = String(Number(written));
		if (read === written) continue;
		throw invalid`has the number ${quoteForError(written)}, which JSON reads as ${quoteForError(read)}
			Put it in double quotes, so that it's sent as it's written`;
	}
}
