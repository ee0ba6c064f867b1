import type { IExecuteFunctions } from 'n8n-workflow';

import { requireSame } from '../delivery/runRejected';
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
			const { displayName } = field;
			await requireSame(`'${displayName}'`, ONE_VALUE, count, (itemIndex) => {
				try {
					return parameters.read(path, itemIndex);
				} catch (error) {
					throw unreadable(displayName, error);
				}
			});
		}
	}
}

const ONE_VALUE =
	'It has one value for all items. Use an expression with the same value for every item. To send with different values, use one node for each';
