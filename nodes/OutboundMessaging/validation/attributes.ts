import { isObject } from '../isObject';
import { parseAttributesJson, POSITIONS, requirePosition } from './attributesJson';
import { InvalidValue } from './invalidValue';
import { type LineBreaks, withLineBreaks } from './lineBreaks';
import { messageText } from './text';

const FALLBACK =
	"Map a field that has a value, or give a fallback, e.g. {{ $json.name || 'there' }}";

/** The values of a template's variables by position: `{ "1": "Ada", "2": "Friday" }` (specification 4.1). */
export type TemplateAttributes = Record<string, string>;

/**
 * Attributes from a list whose order is the position.
 * @param values text, numbers or booleans
 * @returns undefined for an empty list: the field is then left out of the request
 * @throws InvalidValue that names the position
 */
export function attributesFromList(
	values: unknown[],
	lineBreaks?: LineBreaks,
): TemplateAttributes | undefined {
	if (values.length === 0) return undefined;
	const attributes: TemplateAttributes = {};
	// Not forEach: it would pass over the gaps of a list.
	for (const [index, value] of values.entries()) {
		attributes[String(index + 1)] = attributeValue(value, index + 1, lineBreaks);
	}
	return attributes;
}

/**
 * Attributes from JSON: an object `{"1": "Ada"}` or a list `["Ada"]`, as text or already parsed.
 * @returns undefined when there are none: the field is then left out of the request
 * @throws InvalidValue
 */
export function attributesFromJson(
	value: unknown,
	lineBreaks?: LineBreaks,
): TemplateAttributes | undefined {
	const json = isObject(value) || Array.isArray(value) ? value : parseAttributesJson(value);
	return attributesFromList(Array.isArray(json) ? json : inOrder(json), lineBreaks);
}

/** The values of the positions 1, 2, … */
function inOrder(json: object): unknown[] {
	const entries = new Map<string, unknown>(Object.entries(json));
	for (const key of entries.keys()) requirePosition(key);
	return Array.from(entries, (_, index) => {
		const position = String(index + 1);
		if (entries.has(position)) return entries.get(position);
		throw new InvalidValue(`has no value for position ${position}`, POSITIONS);
	});
}

function attributeValue(value: unknown, position: number, lineBreaks?: LineBreaks): string {
	let invalid: InvalidValue;
	try {
		return withLineBreaks(messageText(value), lineBreaks);
	} catch (error) {
		invalid = error as InvalidValue;
	}
	const fix = invalid.message.startsWith('is empty') ? FALLBACK : invalid.fix;
	const path = `attribute[${position - 1}].value`;
	throw new InvalidValue(`value ${position} ${invalid.message}`, fix, path);
}
