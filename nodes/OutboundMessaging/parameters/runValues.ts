import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { yieldIfDue } from '../common/eventLoop';
import { isObject } from '../common/isObject';
import { misconfigured } from '../delivery/runRejected';
import { type CheckFacts, type Field, type Fields, forEditor } from '../fields/field';
import { invalid } from '../validation/invalidValue';
import { hasExpression, requireUsable } from '../validation/usable';
import { Parameters, incomplete, parameterError, rawParameter } from './parameters';

/** The values of a run, by the names of the options that are one value for the whole run. */
export type RunValues<T extends Fields> = {
	[K in keyof T as IsOneValue<T[K]> extends true ? K : never]: ValueOf<T[K]>;
};
type IsOneValue<F> = F extends { isPerItem: true } ? false : F extends Checked ? true : false;
type Checked = { check(value: unknown, facts: CheckFacts): unknown };
type ValueOf<F> = F extends Checked ? Awaited<ReturnType<F['check']>> : never;

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

/** The options that the user has added, whatever is in them. */
export function addedNames(context: IExecuteFunctions, collectionName: string): Set<string> {
	const stored = rawParameter(context, collectionName);
	return new Set(isObject(stored) ? Object.keys(stored) : []);
}

/**
 * Makes an added option's value from what it holds.
 * @param facts what a check may need of the run; the operation's recipients where it has been read
 * @throws InvalidValue
 */
export function checkAdded(
	field: Field,
	value: unknown,
	facts: Pick<CheckFacts, 'raw' | 'timezone'> & Partial<CheckFacts>,
): unknown {
	const choices = field.type === 'options' ? (field.options ?? []) : [];
	const isEmptyAChoice = choices.some((choice) => 'value' in choice && choice.value === '');
	requireUsable(facts.raw, value, isEmptyAChoice);
	if (field.isOffAtZero && Number(value) === 0 && hasExpression(facts.raw))
		throw invalid`is 0, which would turn it off
			Use an expression that gives 1 or more. To do without this setting, remove it`;
	return field.check === undefined ? value : field.check(value, facts as CheckFacts);
}

/** Reads the options that are one value for the whole run, from the first item. @throws RunRejected */
export async function readRunValues<T extends Fields>(
	context: IExecuteFunctions,
	collectionName: string,
	fields: T,
	facts: Partial<CheckFacts> = {},
): Promise<RunValues<T>> {
	const parameters = new Parameters(context);
	const values: Record<string, unknown> = {};
	const added = addedNames(context, collectionName);
	const timezone = context.getTimezone();
	for (const [name, field] of Object.entries(fields)) {
		if (field.isPerItem === true) continue;
		values[name] = 'off' in field ? field.off : field.default;
		if (!added.has(name)) continue;
		const path = `${collectionName}.${name}`;
		const raw = rawParameter(context, path);
		try {
			const value: unknown = context.getNodeParameter(path, 0, null);
			const [gap] = parameters.emptyPieces(path, 0, field.holds);
			if (gap !== undefined && field.holds !== 'text') throw incomplete(gap);
			values[name] = await checkAdded(field, value, { ...facts, raw, timezone });
		} catch (error) {
			throw parameterError(field.displayName, error);
		}
	}
	return values as RunValues<T>;
}

/** n8n's names for the data of an item. */
const ITEM_DATA = [
	...['json', 'binary', 'data', 'itemIndex', 'position', 'thisItem\\w*', 'item', 'node'],
	...['parameter', 'rawParameter', 'getPairedItem', 'evaluateExpression'],
].join('|');
/** What leads from another node to the item that belongs to this one. */
const PAIRED_ITEM = 'item|itemMatching|pairedItem';
/** What an expression must contain to differ between items. Others can be long lists, so they aren't read for each item. */
const OF_ITEM = new RegExp(
	`\\$(?:${ITEM_DATA})\\b|\\.(?:${PAIRED_ITEM})\\b|["'\`](?:${PAIRED_ITEM})["'\`]`,
);

/** Whether a value, as the workflow has it, may differ between items. */
const mayDiffer = (raw: unknown): boolean =>
	typeof raw === 'string' && raw.startsWith('=') && OF_ITEM.test(raw);

/** Rejects a value of the whole run that differs between items: it could lead to the wrong person. @throws RunRejected */
export async function requireSameForEveryItem(
	context: IExecuteFunctions,
	collections: Record<string, Fields>,
): Promise<void> {
	const parameters = new Parameters(context);
	for (const [collectionName, fields] of Object.entries(collections)) {
		for (const [name, { displayName, isPerItem }] of Object.entries(fields)) {
			const path = `${collectionName}.${name}`;
			if (isPerItem === true || !mayDiffer(rawParameter(context, path))) continue;
			await requireSame(context, `'${displayName}'`, (itemIndex) => {
				try {
					return parameters.read(path, itemIndex);
				} catch (error) {
					throw parameterError(displayName, error);
				}
			});
		}
	}
}

async function requireSame(
	context: IExecuteFunctions,
	name: string,
	read: (itemIndex: number) => unknown,
): Promise<void> {
	const first = JSON.stringify(read(0));
	const { length } = context.getInputData();
	for (let itemIndex = 1; itemIndex < length; itemIndex++) {
		if (JSON.stringify(read(itemIndex)) !== first) {
			const title = `${name} isn't the same for item 0 and item ${itemIndex} (n8n counts items from 0)`;
			throw misconfigured({ title, description: ONE_VALUE }, 'invalidInput');
		}
		await yieldIfDue();
	}
}

const ONE_VALUE =
	'This option must be the same for every item. Use an expression with the same value for every item. To send with different values, use one node for each';
