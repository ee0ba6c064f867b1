import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { type AddedField, forEditor } from '../fields/field';
import { Parameters, type Recipients, addedNames, parameterError } from './parameters';

type AddedFields = Record<string, AddedField>;

/** The values of a run, by the names of the options that are one value for the whole run. */
export type RunValues<T extends AddedFields> = {
	[K in keyof T as T[K] extends { isPerItem: true } ? never : K]: Awaited<
		ReturnType<T[K]['check']>
	>;
};

/** A parameter to which options are added. Its name is its label in lower case. */
export const collection = (
	label: string,
	placeholder: string,
	description: string,
	options: AddedFields,
): INodeProperties => ({
	displayName: label,
	name: label.toLowerCase(),
	type: 'collection',
	placeholder,
	description,
	default: {},
	options: forEditor(options).sort((one, other) => (one.displayName < other.displayName ? -1 : 1)),
});

/**
 * Reads the options that are one value for the whole run, from the first item.
 * @param whose recipients an option can hold
 * @throws RunRejected, also if an option isn't the same for every item
 */
export async function readRunValues<T extends AddedFields>(
	context: IExecuteFunctions,
	collectionName: string,
	fields: T,
	whose: Recipients,
): Promise<RunValues<T>> {
	const parameters = new Parameters(context);
	const values: Record<string, unknown> = {};
	const added = addedNames(context, collectionName);
	for (const [name, field] of Object.entries(fields)) {
		if (field.isPerItem === true) continue;
		values[name] = 'off' in field ? field.off : field.default;
		if (!added.has(name)) continue;
		const path = `${collectionName}.${name}`;
		try {
			await parameters.requireSame(path);
			values[name] = await parameters.added(path, field, 0, whose);
		} catch (error) {
			throw parameterError(path, field, error);
		}
	}
	return values as RunValues<T>;
}
