import { mapInTurns } from '../common/eventLoop';
import type { PlannedItem } from '../delivery/message';
import { safeguards } from './index';
import type { Judging, Safeguard } from './safeguard';

/** The safeguards by their names, in the order in which they judge. */
const rules = Object.entries(safeguards) as Array<[string, Safeguard<unknown>]>;

/**
 * Applies the safeguards to what would be sent. What an earlier try sent stays as it is.
 * @param values what the user set, by the safeguards' names
 * @returns one planned item per item; each message that must not be sent is replaced by its outcome
 * @throws RunRejected when a safeguard rejects the whole list
 */
export async function applySafeguards(
	items: PlannedItem[],
	values: Record<string, unknown>,
	run: Omit<Judging, 'firstItems'>,
): Promise<PlannedItem[]> {
	const firstItems = new Map<string, number>();
	const judging: Judging = { ...run, firstItems };
	for (const item of items) {
		if (!('message' in item && item.isSettled)) continue;
		firstItems.set(item.message.recipient, item.message.itemIndex);
	}
	const judged = await mapInTurns(items, (item): PlannedItem => {
		if ('outcome' in item || item.isSettled) return item;
		const { message, earlier } = item;
		for (const [name, { before }] of rules) {
			const outcome = before?.(message, values[name], judging);
			if (outcome) return { outcome: earlier ?? outcome };
		}
		firstItems.set(message.recipient, firstItems.get(message.recipient) ?? message.itemIndex);
		return item;
	});
	return rules.reduce(
		(list, [name, { wholeList }]) => wholeList?.(list, values[name], judging) ?? list,
		judged,
	);
}
