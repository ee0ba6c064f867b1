import { InvalidValue, quoteForError } from './invalidValue';
import { asText, describeInvalid } from './text';

/** The values of a template's variables by position: `{ "1": "Ada", "2": "Friday" }` (specification 4.1). */
export type TemplateAttributes = Record<string, string>;

/**
 * Attributes from a list whose order is the position.
 * @param values text, numbers or booleans
 * @returns undefined for an empty list: the field is then left out of the request
 * @throws InvalidValue that names the position
 */
export function attributesFromList(values: unknown[]): TemplateAttributes | undefined {
	if (values.length === 0) return undefined;
	const attributes: TemplateAttributes = {};
	// Not forEach: it would pass over the gaps of a list.
	for (const [index, value] of values.entries()) {
		attributes[String(index + 1)] = attributeValue(value, index + 1);
	}
	return attributes;
}

/**
 * Attributes from JSON: an object `{"1": "Ada"}` or a list `["Ada"]`, as text or already parsed.
 * @returns undefined when there are none: the field is then left out of the request
 * @throws InvalidValue
 */
export function attributesFromJson(value: unknown): TemplateAttributes | undefined {
	const parsed = typeof value === 'string' ? parse(value) : value;
	if (parsed === undefined)
		throw new InvalidValue(`${quoteForError(value)} is not valid JSON`, EXAMPLE);
	if (Array.isArray(parsed)) return attributesFromList(parsed);
	if (typeof parsed !== 'object' || parsed === null) {
		throw new InvalidValue(`is ${quoteForError(parsed)}, neither an object nor a list`, EXAMPLE);
	}
	const entries = new Map<string, unknown>(Object.entries(parsed));
	const values: unknown[] = [];
	for (let position = 1; position <= entries.size; position++) {
		if (!entries.has(String(position))) throw wrongKeys([...entries.keys()], position);
		values.push(entries.get(String(position)));
	}
	return attributesFromList(values);
}

const EXAMPLE = 'Write it as {"1": "Ada", "2": "Friday"} or as ["Ada", "Friday"]';

function parse(text: string): unknown {
	if (text.trim() === '') return {};
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function wrongKeys(keys: string[], missing: number): InvalidValue {
	const stranger = keys.find((key) => !/^[1-9][0-9]*$/.test(key));
	return new InvalidValue(
		stranger === undefined
			? `has no value for position ${missing}`
			: `has the key ${quoteForError(stranger)}, which is not a position`,
		`The keys are the positions "1", "2", … without gaps. ${EXAMPLE}`,
	);
}

function attributeValue(value: unknown, position: number): string {
	const text = asText(value);
	if (text !== undefined) return text;
	throw new InvalidValue(
		`value ${position} ${describeInvalid(value)}`,
		`Give attribute ${position} a text, a number, true or false: the service puts it into the template as it is`,
	);
}
