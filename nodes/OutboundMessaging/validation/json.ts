import { errorMessage } from '../common/errorText';
import { isDate } from './dates';
import { invalid, InvalidValue, quoteForError } from './invalidValue';
import { requireContent } from './requireText';

/** An object or a list, as an expression gives it or as JSON text. */
export function parsedJson(value: unknown, fix: string, textFix = fix, emptyFix = fix): object {
	if (typeof value === 'object' && value !== null && !isDate(value)) return value;
	const text = requireContent(value, 'an object or a list', fix, emptyFix);
	if (!/^[{[]/.test(text))
		throw new InvalidValue(`${quoteForError(text)} isn't a JSON object or list`, textFix);
	const parsed = parse(text, textFix);
	requireFaithful(text, !Array.isArray(parsed));
	return parsed;
}

function parse(text: string, fix: string): object {
	try {
		return JSON.parse(text) as object;
	} catch (error) {
		throw invalid`isn't valid JSON: ${quoteForError(errorMessage(error), 150)}
			${fix}`;
	}
}

/** Texts, the one before a colon with it, and numbers. What else is in valid JSON can't be misread. */
const TOKEN = /("(?:[^"\\]+|\\.)*")(\s*:)?|-?\d[^\s,\]}]*/g;

/** Rejects what JSON reads in another way than it's written, since the customer would read that. */
function requireFaithful(json: string, isObject: boolean): void {
	const keys = new Set<string>();
	for (const [token, text, colon] of json.matchAll(TOKEN)) {
		if (text === undefined) requireSameNumber(token);
		if (isObject && colon !== undefined) requireNewKey(JSON.parse(text) as string, keys);
	}
}

/** Rejects equal keys. JSON takes the last one: a name with quotes in it could fill another variable. */
function requireNewKey(key: string, keys: Set<string>): void {
	if (keys.size < keys.add(key).size) return;
	throw invalid`has the key ${quoteForError(key)} twice
		Use each key once. A value with quotes in it can add a key: write {{ JSON.stringify($json.name) }} without quotes around it`;
}

/** JSON reads 100.00 as 100, and rounds long numbers. */
function requireSameNumber(written: string): void {
	const read = String(Number(written));
	if (read === written) return;
	throw invalid`has the number ${quoteForError(written)}, which JSON reads as ${quoteForError(read)}
		Put it in double quotes, so that it's sent as it's written`;
}
