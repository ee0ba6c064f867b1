import { checkPart, invalid, quoteForError } from './invalidValue';
import { parsedJson } from './json';
import { messageText } from './text';
import { requireIntact } from './brokenText';
import { everywhere, exactly } from '../common/text';

/**
 * The values of a template's variables by position, `{ "1": "Ada", "2": "Friday" }` (specification
 * 4.1), from a list in their order; undefined for none: the request has no such field then.
 */
export function attributesFromList(values: unknown[], lineBreaks?: LineBreaks) {
	if (values.length === 0) return undefined;
	// Not map: it would pass over the gaps of a list.
	const attributes = Array.from(values, (value, index) => {
		const checked = () => withLineBreaks(requireIntact(messageText(value), 'value'), lineBreaks);
		return [index + 1, checkPart(`value ${index + 1}`, checked)] as const;
	});
	return Object.fromEntries(attributes);
}

/**
 * Attributes from JSON: an object `{"1": "Ada"}` or a list `["Ada"]`, as text or already parsed.
 */
export function attributesFromJson(value: unknown, lineBreaks?: LineBreaks) {
	const json = parsedJson(value, EXAMPLE, SYNTAX, 'Enter {} if the template has no variables');
	return attributesFromList(Array.isArray(json) ? json : inOrder(json), lineBreaks);
}

/** The values of the positions 1, 2, … */
function inOrder(json: object): unknown[] {
	// JavaScript lists such keys in the order of their numbers.
	const keys = Object.keys(json);
	const odd = keys.find((key) => !POSITION.test(key));
	if (odd !== undefined) {
		throw invalid`has ${quoteForError(odd)} where a number is expected
			${POSITIONS}`;
	}
	const gap = keys.findIndex((key, index) => key !== String(index + 1));
	if (gap < 0) return Object.values(json);
	throw invalid`has no value for position ${gap + 1}
		${POSITIONS}`;
}

const POSITION = exactly`^[1-9][0-9]{0,5}$`;

const EXAMPLE = 'Write it as {"1": "Ada", "2": "Friday"} or ["Ada", "Friday"]';
const SYNTAX =
	EXAMPLE + '. To map a field, write {{ JSON.stringify($json.name) }} without quotes around it';

const POSITIONS = `Use the positions "1", "2", … as keys, without gaps. ${EXAMPLE}`;

/** What becomes of white space that WhatsApp rejects in the values of a template. */
export type LineBreaks = 'keep' | 'replace' | 'reject';

const WHITE_SPACE = everywhere`[\s\u0085]+`;
/** WhatsApp takes no line breaks, no tabs and no more than four spaces in a row. */
const REJECTED_BY_WHATSAPP = exactly`[\n\v\f\r\u0085\u2028\u2029\t]|.{5}`;

/** Keeps, replaces (each run by one space) or rejects line breaks, tabs and long runs of spaces. */
function withLineBreaks(text: string, lineBreaks?: LineBreaks) {
	if (lineBreaks === 'keep') return text;
	return text.replace(WHITE_SPACE, (run) => {
		if (!REJECTED_BY_WHATSAPP.test(run)) return run;
		if (lineBreaks === 'replace') return ' ';
		throw invalid`has a line break, a tab or more than four spaces in a row, which \
				WhatsApp rejects in templates
			Remove them, or set 'Line Breaks in Attributes' under Options to Replace. If the service \
				cleans them up, set it to Keep`;
	});
}
