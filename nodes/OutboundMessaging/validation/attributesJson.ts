import { InvalidValue, quoteForError } from './invalidValue';
import { requireText } from './requirements';
import { trimmed } from './whitespace';

const EXAMPLE = 'Write it as {"1": "Ada", "2": "Friday"} or ["Ada", "Friday"]';
const SYNTAX = `${EXAMPLE}. To map a field, write {{ JSON.stringify($json.name) }} without quotes around it`;

/** How to fix keys that aren't the positions 1, 2, … */
export const POSITIONS = `Use the positions "1", "2", … as keys, without gaps. ${EXAMPLE}`;

/** @throws InvalidValue if the key isn't the position of a variable */
export function requirePosition(key: string): void {
	if (/^[1-9][0-9]{0,5}$/.test(key)) return;
	throw new InvalidValue(`has ${quoteForError(key)} where a number is expected`, POSITIONS);
}

/**
 * Parses the JSON of attributes.
 * @returns an object or a list
 * @throws InvalidValue
 */
export function parseAttributesJson(json: unknown): object {
	const text = trimmed(requireText(json, 'an object or a list', EXAMPLE));
	if (text === '') throw new InvalidValue('is empty', 'Enter {} if the template has no variables');
	if (!/^[{[]/.test(text)) {
		throw new InvalidValue(`${quoteForError(text)} isn't a JSON object or list`, SYNTAX);
	}
	let parsed: object;
	try {
		parsed = JSON.parse(text) as object;
	} catch (error) {
		throw notJson(error as Error);
	}
	requireSameNumbers(text);
	return parsed;
}

function notJson({ message }: Error): InvalidValue {
	return new InvalidValue(`isn't valid JSON: ${quoteForError(message, 150)}`, SYNTAX);
}

/** JSON reads 100.00 as 100 and rounds long numbers, and the customer would read that. */
function requireSameNumbers(json: string): void {
	const outsideOfTexts = json.replace(/\\./g, '').replace(/"[^"]*"/g, '');
	for (const [written] of outsideOfTexts.matchAll(/-?\d[^\s,\]}]*/g)) {
		const read = String(Number(written));
		if (read === written) continue;
		throw new InvalidValue(
			`has the number ${quoteForError(written)}, which JSON reads as ${quoteForError(read)}`,
			`Put it in double quotes, so that it's sent as it's written`,
		);
	}
}
