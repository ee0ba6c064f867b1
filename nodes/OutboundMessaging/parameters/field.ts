import type { CountryCode } from 'libphonenumber-js/max';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isObject } from '../common/isObject';
import { type NumberRange, choiceOf, numberIn } from '../validation/setting';

/** What the editor shows of a parameter, and what the node has to know of it. */
export type Field = Omit<INodeProperties, 'name'> & {
	/**
	 * Whether 0 turns it off. An expression that gives 0 has rather lost its value, or counted
	 * down to nothing.
	 */
	isOffAtZero?: boolean;
	/**
	 * Which expressions inside of it may find nothing: those that say so (`?? ''`), and in a `text`
	 * the others, too, with a hint. Elsewhere, none may: what's left could be another customer, or
	 * a key that messages share.
	 */
	holds?: 'text' | 'url';
	/** What an AI agent's argument for it has to be, where an error alone doesn't tell. */
	takes?: string;
	/**
	 * What holds while an option isn't added, if that isn't the value with which the editor adds it.
	 */
	off?: unknown;
	/** Whether an option or a safeguard can differ between items. */
	isPerItem?: boolean;
	/** Whether a safeguard has to know who got messages in the whole execution. */
	keepsRecipients?: true;
	/**
	 * Makes a value from what the field holds; a promise of one only if it's the same for every item.
	 * @throws InvalidValue whose title follows the field's label
	 */
	check?(value: unknown, facts: CheckFacts): unknown;
};

/** An option or a safeguard, whose check makes the value. */
export type AddedField = Field & Required<Pick<Field, 'check'>>;

/** The parameter that says who gets a message. */
export interface RecipientField {
	name: string;
	label: string;
	/** Its field in the request body. */
	body: 'customer_phone' | 'customer_id';
	/** @param countries where numbers without a country code may belong, the likeliest first */
	check(value: unknown, countries: CountryCode[]): string;
	/** Every recipient that a value can mean: an ambiguous phone number has two. */
	readings(value: unknown, countries: CountryCode[]): string[];
}

/** What a check may have to know besides the value. */
export interface CheckFacts {
	/** The value as the workflow has it: with expressions as text. */
	raw: unknown;
	/** The workflow's time zone. */
	timezone: string;
	/** The recipient of the chosen operation. */
	recipientField: RecipientField;
	/** Where numbers without a country code may belong. */
	countries: CountryCode[];
}

/** Fields by their names, which workflows store. */
export type Fields = Record<string, Field>;
export type AddedFields = Record<string, AddedField>;

const ONLY_FOR_NODE = [
	'isPerItem',
	'isOffAtZero',
	'holds',
	'takes',
	'off',
	'keepsRecipients',
	'judges',
];

/** The fields as n8n takes them: without what only the node has to know, and what it does. */
export const forEditor = (fields: Fields): INodeProperties[] =>
	Object.entries(fields).map(([name, field]) => {
		const shown = Object.entries(field).filter(
			([key, value]) => typeof value !== 'function' && !ONLY_FOR_NODE.includes(key),
		);
		return { ...(Object.fromEntries(shown) as unknown as Field), name };
	});

/** The fields, each of which is shown only if another one has this value, too. */
export const shownFor = (name: string, value: string, fields: Fields): Fields =>
	Object.fromEntries(
		Object.entries(fields).map(([each, { displayOptions, ...field }]) => {
			const show = { [name]: [value], ...displayOptions?.show };
			return [each, { ...field, displayOptions: { ...displayOptions, show } }];
		}),
	);

type More = Partial<Field>;

/** A field: an empty line of text, unless `more` says otherwise. */
export const field = <M extends Partial<AddedField>>(
	displayName: string,
	description: string,
	more?: M,
) => ({ displayName, type: 'string', default: '', description, ...more }) as Field & M;

export const requiredText = (label: string, description: string, example: string, more?: More) =>
	field(label, description, { required: true, placeholder: `e.g. ${example}`, ...more });

/**
 * Values to choose from, each with its name and what's to be said of it; the first
 * one is the default.
 */
export function list<V extends string>(
	label: string,
	description: string,
	choices: Record<V, string | [name: string, description: string]>,
	more?: More,
) {
	const options = (Object.keys(choices) as V[]).map((value) => {
		const [name, description] = [choices[value]].flat();
		return { name, value, description };
	});
	const shown = field(label, description, { default: options[0].value, ...more });
	return { ...shown, type: 'options' as const, options, check: choiceOf(options) };
}

/** Whether several values are entered one by one or all at once, the latter as JSON. */
export const specify = (what: string, description: string, one: string, all: string) =>
	list(
		`Specify ${what}`,
		description,
		{ fields: ['Using Fields Below', one], json: ['Using JSON', all] },
		{ noDataExpression: true },
	);

export function number(
	label: string,
	description: string,
	{ preset, ...range }: NumberRange & { preset: number },
	more?: More,
) {
	const { min: minValue, max: maxValue, whole } = range;
	const typeOptions = { minValue, maxValue, numberPrecision: whole ? 0 : 2 };
	const shown = field(label, description, { default: preset, ...more });
	return { ...shown, type: 'number' as const, typeOptions, check: numberIn(range) };
}

/**
 * What was added to a group, in its order: several entries only if it can be added several times.
 */
export function groupEntries(group: unknown, part: string): IDataObject[] {
	const entries = isObject(group) ? [group[part] ?? []].flat() : [];
	return entries.map((entry) => ({ ...(entry as IDataObject) }));
}

/**
 * Fields that are added together. n8n stores them in a part, whose name is its label in lower case.
 */
export function group<M extends Partial<AddedField>>(
	label: string,
	description: string,
	part: string,
	fields: Fields,
	more?: M,
) {
	const options = [{ displayName: part, name: part.toLowerCase(), values: forEditor(fields) }];
	const shown = field(label, description, { default: {}, ...more });
	return { ...shown, type: 'fixedCollection' as const, options } as Field & M;
}

/** A parameter to which options are added. Its name is its label in lower case. */
export const collection = (
	label: string,
	placeholder: string,
	description: string,
	options: AddedFields,
): INodeProperties => ({
	...field(label, description, { type: 'collection', default: {}, placeholder }),
	name: label.toLowerCase(),
	options: forEditor(options).sort((one, other) => (one.displayName < other.displayName ? -1 : 1)),
});
