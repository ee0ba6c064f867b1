import { isDate } from './dates';
import { invalid, InvalidValue, quoteForError, requireContent } from './invalidValue';

/** An object or a list, as an expression gives it or as JSON text. */
export function parsedJson(value: unknown, fix: string, textFix = fix, emptyFix = fix): object {
	if (typeof value === 'object' && value !== null && !isDate(value)) return value;
	const text = requireContent(value, 'an object or a list', fix, emptyFix);
	if (!/^[{[]/.test(text))
		throw new InvalidValue(`${quoteForError(text)} isn't a JSON object or list`, textFix);
	const parsed = parse(text, textFix);
	requireSameNumbers(text);
	if (!Array.isArray(parsed)) requireDistinctKeys(text);
	return parsed;
}

function parse(text: string, fix: string): object {
	try {
		return JSON.parse(text) as object;
	} catch (error) {
		throw notJson(error as Error, fix);
	}
}

const notJson = ({ message }: Error, fix: string) =>
	new InvalidValue(`isn't valid JSON: ${quoteForError(message, 150)}`, fix);

/** Of two equal keys, JSON takes the last one: a name with quotes in it could fill another variable. */
function requireDistinctKeys(json: string): void {
	const names = Array.from(json.matchAll(/"(?:\\.|[^"\\])*"(\s*:)?/g), ([name, colon = '']) =>
		colon === '' ? [] : [JSON.parse(name.slice(0, -colon.length)) as string],
	).flat();
	const seen = new Set<string>();
	const twice = names.find((name) => seen.size === seen.add(name).size);
	if (twice === undefined) return;
	throw invalid`has the key ${quoteForError(twice)} twice
		Use each key once. A value with quotes in it can add a key: write {{ JSON.stringify($json.name) }} without quotes around it`;
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
