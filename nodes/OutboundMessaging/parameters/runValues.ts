import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { requireSame } from '../delivery/runRejected';
import { type CheckedField, type Fields, forEditor } from '../fields/field';
import { Parameters, rawParameter, parameterError } from './parameters';

/** The values of a run, by the names of the options that are one value for the whole run. */
export type RunValues<T extends Fields> = {
	[K in keyof T as T[K] extends CheckedField<unknown> ? K : never]: ValueOf<T[K]>;
};
type ValueOf<F> = F extends CheckedField<infer V> ? V : never;

export const collection = (
	displayName: string,
	name: string,
	placeholder: string,
	description: string,
	options: Fields,
): INodeProperties => ({
	displayName,
	name,
	type: 'collection',
	placeholder,
	description,
	default: {},
	options: forEditor(options).sort((one, other) => (one.displayName < other.displayName ? -1 : 1)),
});

/** Reads the options that are one value for the whole run, from the first item. @throws RunRejected */
export function readRunValues<T extends Fields>(
	context: IExecuteFunctions,
	collectionName: string,
	options: T,
): RunValues<T> {
	const values: Record<string, unknown> = {};
	for (const [name, field] of Object.entries(options)) {
		const { displayName, check, default: preset, off = preset } = field;
		if (check === undefined) continue;
		try {
			values[name] = check(context.getNodeParameter(`${collectionName}.${name}`, 0, off));
		} catch (error) {
			throw parameterError(displayName, error);
		}
	}
	return values as RunValues<T>;
}

/** What an expression must contain to differ between items. Others can be long lists, so they aren't read for each item. */
const OF_ITEM =
	/\$(?:json|binary|data|itemIndex|position|thisItem\w*|item|node|parameter|rawParameter|getPairedItem|evaluateExpression)\b|\.(?:item|itemMatching|pairedItem)\b|["'`](?:item|itemMatching|pairedItem)["'`]/;

/** Rejects a value of the whole run that differs between items: it could lead to the wrong person. @throws RunRejected */
export async function requireSameForEveryItem(
	context: IExecuteFunctions,
	collections: Record<string, Fields>,
): Promise<void> {
	const parameters = new Parameters(context);
	const count = context.getInputData().length;
	for (const [collectionName, options] of Object.entries(collections)) {
		for (const [name, { displayName, isPerItem }] of Object.entries(options)) {
			const path = `${collectionName}.${name}`;
			const raw = rawParameter(context, path);
			const mayDiffer = typeof raw === 'string' && raw.startsWith('=') && OF_ITEM.test(raw);
			if (isPerItem || !mayDiffer) continue;
			await requireSame(`'${displayName}'`, ONE_VALUE, count, (itemIndex) => {
				try {
					return parameters.read(path, itemIndex);
				} catch (error) {
					throw parameterError(displayName, error);
				}
			});
		}
	}
}

const ONE_VALUE =
	'It has one value for all items. Use an expression with the same value for every item. To send with different values, use one node for each';
