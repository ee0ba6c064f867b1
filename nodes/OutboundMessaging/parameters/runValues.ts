import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { mapInTurns } from '../common/eventLoop';
import { isObject } from '../common/isObject';
import { type AddedField, forEditor } from '../fields/field';
import { invalid } from '../validation/invalidValue';
import { Parameters, type Recipients, parameterError, rawParameter } from './parameters';

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

/** The options that the user has added, whatever is in them. */
export function addedNames(context: IExecuteFunctions, collectionName: string): Set<string> {
	const stored = rawParameter(context, collectionName);
	return new Set(isObject(stored) ? Object.keys(stored) : []);
}

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
			await requireSame(context, parameters, path);
			values[name] = await parameters.added(path, field, 0, whose);
		} catch (error) {
			throw parameterError(path, field, error);
		}
	}
	return values as RunValues<T>;
}

/** n8n's names for the data of an item. */
const ITEM_DATA =
	/\$(?:json|binary|data|itemIndex|position|thisItem\w*|item|node|parameter|rawParameter|getPairedItem|evaluateExpression)\b/;
/** What leads from another node to the item that belongs to this one. */
const PAIRED_ITEM = /[.'"`](?:item|itemMatching|pairedItem)\b/;

/**
 * Rejects a value of the whole run that differs between items: it could lead to the wrong person. An expression that names
 * no data of an item can be a long list, so it isn't evaluated for each item. @throws InvalidValue
 */
async function requireSame(context: IExecuteFunctions, parameters: Parameters, path: string) {
	const raw = rawParameter(context, path);
	if (typeof raw !== 'string' || !raw.startsWith('=')) return;
	if (!ITEM_DATA.test(raw) && !PAIRED_ITEM.test(raw)) return;
	const read = (itemIndex: number) => JSON.stringify(parameters.read(path, itemIndex));
	const first = read(0);
	await mapInTurns(context.getInputData(), (_, itemIndex) => {
		if (read(itemIndex) === first) return;
		throw invalid`isn't the same for item 0 and item ${itemIndex} (n8n counts items from 0)
			This option must be the same for every item. Use an expression with the same value for every item. To send with different values, use one node for each`;
	});
}
