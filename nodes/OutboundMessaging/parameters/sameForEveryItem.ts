import type { IExecuteFunctions } from 'n8n-workflow';

import { yieldIfDue } from '../delivery/eventLoop';
import type { RunRejected } from '../delivery/runRejected';
import { misconfigured } from '../delivery/runRejected';
import type { Option } from './option';
import { Parameters } from './parameters';
import { unreadable } from './unreadable';

/** What an expression must contain to differ between items. Others can be long lists, so they aren't read for each item. */
const OF_ITEM =
	/\$(?:json|binary|data|itemIndex|position|thisItem\w*|item|node|parameter|rawParameter|getPairedItem|evaluateExpression)\b|\.(?:item|itemMatching|pairedItem)\b|["'`](?:item|itemMatching|pairedItem)["'`]/;

/**
 * Checks the options that are one value for the whole run: with another item's list or test recipient, a message could go to
 * the wrong person.
 * @param collections the options by the name of their collection
 * @throws RunRejected when the expression of one differs between items
 */
export async function requireSameForEveryItem(
	context: IExecuteFunctions,
	collections: Record<string, Record<string, Option>>,
): Promise<void> {
	const parameters = new Parameters(context);
	const count = context.getInputData().length;
	for (const [collectionName, options] of Object.entries(collections)) {
		for (const { field, isPerItem } of Object.values(options)) {
			const path = `${collectionName}.${field.name}`;
			const raw = parameters.raw(path);
			if (isPerItem || typeof raw !== 'string' || !raw.startsWith('=') || !OF_ITEM.test(raw)) {
				continue;
			}
			const first = valueOf(parameters, field.displayName, path, 0);
			for (let itemIndex = 1; itemIndex < count; itemIndex++) {
				const isSame = valueOf(parameters, field.displayName, path, itemIndex) === first;
				if (!isSame) throw valueDiffers(field.displayName, itemIndex);
				await yieldIfDue();
			}
		}
	}
}

function valueOf(parameters: Parameters, label: string, path: string, itemIndex: number) {
	try {
		return JSON.stringify(parameters.read(path, itemIndex));
	} catch (error) {
		throw unreadable(label, error);
	}
}

function valueDiffers(label: string, itemIndex: number): RunRejected {
	return misconfigured(
		`'${label}' isn't the same for item 0 and item ${itemIndex} (n8n counts items from 0)`,
		'It has one value for all items. Use an expression with the same value for every item. To send with different values, use one node for each',
		'invalidInput',
	);
}
