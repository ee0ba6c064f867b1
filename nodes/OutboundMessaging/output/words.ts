import type { Outcome } from '../delivery/outcome';

const MAX_RANGES = 10;

/** Ends a text with a period, unless it ends a sentence already. */
export function sentence(text: string): string {
	return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** E.g. "1 message", "2 messages". */
export function numberOf(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** E.g. "items 0 to 4, 7 and 12 more (n8n counts items from 0)", from indexes in ascending order. */
export function formatIndexes(itemIndexes: number[]): string {
	const ranges: Array<{ first: number; last: number }> = [];
	for (const index of itemIndexes) {
		const range = ranges.at(-1);
		if (range?.last === index - 1) range.last = index;
		else ranges.push({ first: index, last: index });
	}
	const shown = ranges.slice(0, MAX_RANGES);
	const words = shown.map(({ first, last }) => {
		if (first === last) return first;
		return last === first + 1 ? `${first}, ${last}` : `${first} to ${last}`;
	});
	const rest = shown.reduce(
		(left, { first, last }) => left - (last - first + 1),
		itemIndexes.length,
	);
	const noun = itemIndexes.length === 1 ? 'item' : 'items';
	return `${noun} ${words.join(', ')}${rest > 0 ? ` and ${rest} more` : ''} (n8n counts items from 0)`;
}

/** How many messages ended how. */
export type DeliveryCounts = Record<Outcome['delivery'], number>;

export function countOutcomes(outcomes: Outcome[]): DeliveryCounts {
	const counts: DeliveryCounts = {
		accepted: 0,
		rejected: 0,
		uncertain: 0,
		notAttempted: 0,
		skipped: 0,
	};
	for (const { delivery } of outcomes) counts[delivery]++;
	return counts;
}

const LABELS: Array<[keyof DeliveryCounts, string]> = [
	['accepted', 'accepted'],
	['rejected', 'rejected'],
	['uncertain', 'uncertain'],
	['notAttempted', 'not attempted'],
	['skipped', 'skipped'],
];

/** E.g. "97 accepted, 2 rejected, 1 uncertain"; what didn't happen is left out. */
export function listCounts(counts: DeliveryCounts): string {
	const parts = LABELS.filter(([delivery]) => counts[delivery] > 0);
	return parts.map(([delivery, label]) => `${counts[delivery]} ${label}`).join(', ');
}

/** E.g. "97 of 100 messages accepted, 2 rejected, 1 uncertain". */
export function formatCounts({ accepted, ...others }: DeliveryCounts): string {
	const total = Object.values(others).reduce((sum, count) => sum + count, accepted);
	const rest = listCounts({ ...others, accepted: 0 });
	return `${accepted} of ${numberOf(total, 'message')} accepted${rest && `, ${rest}`}`;
}
