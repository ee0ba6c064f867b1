import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { choiceOf, numberIn, switchValue } from '../validation/setting';
import { unreadable } from './unreadable';

/** An option of the node: its field in the editor. */
export interface Option<T = unknown> {
	field: INodeProperties;
	/** Each item has a value of its own. */
	isPerItem?: boolean;
	/** What holds while the option isn't added, if that differs from the value with which the editor adds it. */
	off?: unknown;
	/**
	 * Makes a value for the run from what the field holds.
	 * @throws InvalidValue whose message follows the field's label
	 */
	check?(value: unknown): T;
}

type Options = Record<string, Option>;
type Checked = { check(value: unknown): unknown };

/** The values of a run, by the names of the options that are one value for the whole run. */
export type RunValues<T extends Options> = {
	[K in keyof T as T[K] extends Checked ? K : never]: T[K] extends {
		check(value: unknown): infer V;
	}
		? V
		: never;
};

/** An option that is on or off. */
export function toggle(field: INodeProperties, off?: boolean) {
	return { field, off, check: switchValue };
}

/** An option with a few values, of the type that their list has. */
export function choice<V extends string>(
	field: INodeProperties & { options: Array<{ name: string; value: V; description?: string }> },
	off?: V,
) {
	return { field, off, check: choiceOf(field.options) };
}

/** A number within the bounds that the editor shows; without a precision, or with 0, a whole one. */
export function number(
	field: INodeProperties & { typeOptions: { minValue: number; maxValue: number } },
	off?: number,
) {
	const { minValue: min, maxValue: max, numberPrecision = 0 } = field.typeOptions;
	return { field, off, check: numberIn({ min, max, whole: numberPrecision === 0 }) };
}

/** An option that is read for each item. */
export function perItem(field: INodeProperties) {
	return { field, isPerItem: true };
}

/** The collection in the editor that offers the options, in alphabetical order. */
export function collection(displayName: string, name: string, options: Options): INodeProperties {
	const fields = Object.values(options).map(({ field }) => field);
	return {
		displayName,
		name,
		type: 'collection',
		default: {},
		options: fields.sort((one, other) => (one.displayName < other.displayName ? -1 : 1)),
	};
}

/**
 * Reads the options that are one value for the whole run, from the first item.
 * @param collectionName of the parameter that holds them
 * @throws RunRejected that names the option, its value and the fix
 */
export function readRunValues<T extends Options>(
	context: IExecuteFunctions,
	collectionName: string,
	options: T,
): RunValues<T> {
	const values: Record<string, unknown> = {};
	for (const [name, { field, check, off = field.default }] of Object.entries(options)) {
		if (check === undefined) continue;
		try {
			const path = `${collectionName}.${field.name}`;
			values[name] = check(context.getNodeParameter(path, 0, off) as unknown);
		} catch (error) {
			throw unreadable(field.displayName, error);
		}
	}
	return values as RunValues<T>;
}
