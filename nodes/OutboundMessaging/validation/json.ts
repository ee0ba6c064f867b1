import { errorMessage } from '../common/failure';
import { isDate } from './dates';
import { invalid, quoteForError, requireContent } from './invalidValue';
import { everywhere, trimmed } from '../common/text';

/** An object or a list, as an expression gives it or as JSON text. */
export function parsedJson(value: unknown, fix: string, textFix = fix, emptyFix = fix): object {
	if (typeof value === 'object' && value !== null && !isDate(value)) return value;
	const text = requireContent(value, 'an object or a list', fix, emptyFix);
	if (!/^[{[]/.test(text)) {
		throw invalid`${quoteForError(text)} isn't a JSON object or list
			${textFix}`;
	}
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

/** An expression inside a text, as n8n finds it. */
const EXPRESSION = everywhere`(?<!\\)\{\{[^]*?(?:(?<!\\)\}\}|$)`;

/**
 * Rejects JSON whose keys, or number of values, an expression has changed: a customer's name could
 * fill another variable.
 * @param raw as the workflow has it, with expressions; one expression alone can give any JSON
 * @throws InvalidValue
 */
export function requireOwnKeys(raw: unknown, value: unknown) {
	if (typeof raw !== 'string' || !raw.startsWith('=')) return;
	// It fits inside a JSON string, and outside.
	const own = trimmed(raw.slice(1).replace(EXPRESSION, '1'));
	if (own === '1' || keysOf(own) === keysOf(value)) return;
	throw invalid`gets other keys or values from an expression than its text has
		${KEEP_KEYS}`;
}

const keysOf = (json: unknown) => String(Object.keys(parsedJson(json, KEEP_KEYS)));
const KEEP_KEYS =
	'Take the quotes out of the value, or write {{ JSON.stringify($json.name) }} without quotes ' +
	"around it, or choose 'Using Fields Below'. For a whole list, use one expression " +
	'and nothing around it';

/**
 * Texts, the one before a colon with it, and numbers, in linear time. What else is in valid JSON
 * can't be misread.
 */
const TOKEN = everywhere`("(?:[^"\\]+|\\.)*")(\s*:)?|-?\d[^\s,\]}]*`;

/** Rejects what JSON reads in another way than it's written, since the customer would read that. */
function requireFaithful(json: string, isObject: boolean) {
	const keys = new Set<string>();
	for (const [token, text, colon] of json.matchAll(TOKEN)) {
		if (text === undefined) requireSameNumber(token);
		if (isObject && colon !== undefined) requireNewKey(JSON.parse(text) as string, keys);
	}
}

/**
 * Rejects equal keys. JSON takes the last one: a name with quotes in it could fill
 * another variable.
 */
function requireNewKey(key: string, keys: Set<string>) {
	if (keys.size < keys.add(key).size) return;
	throw invalid`has the key ${quoteForError(key)} twice
		Use each key once. A value with quotes in it can add a key: write \
			{{ JSON.stringify($json.name) }} without quotes around it`;
}

/** JSON reads 100.00 as 100, and rounds long numbers. */
function requireSameNumber(written: string) {
	const read = String(Number(written));
	if (read === written) return;
	throw invalid`has the number ${quoteForError(written)}, which JSON reads as ${quoteForError(read)}
		Put it in double quotes, so that it's sent as it's written`;
}
