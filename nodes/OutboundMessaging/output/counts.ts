import type { Outcome } from '../delivery/outcome';
import { numberOf } from './words';

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
