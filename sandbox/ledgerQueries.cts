// Questions to ledger entries: they work on the live ledger and on what its URL returned.
import type { Entry } from './ledger.cts';

/** @returns recipient to number of accepted messages */
export function deliveriesByRecipient(entries: Entry[]): Map<string, number> {
	const deliveries = new Map<string, number>();
	for (const { accepted, recipient } of entries) {
		if (accepted && recipient !== null) {
			deliveries.set(recipient, (deliveries.get(recipient) ?? 0) + 1);
		}
	}
	return deliveries;
}

export interface Duplicate extends Pick<Entry, 'operation' | 'recipient' | 'body'> {
	seqs: number[];
}

/** A duplicate is the very same message (operation, recipient, content) accepted more than once. */
export function duplicates(entries: Entry[]): Duplicate[] {
	const groups = new Map<string | null, Entry[]>();
	for (const entry of entries) {
		if (!entry.accepted) continue;
		const group = groups.get(entry.fingerprint);
		if (group) group.push(entry);
		else groups.set(entry.fingerprint, [entry]);
	}
	return [...groups.values()]
		.filter((group) => group.length > 1)
		.map((group) => {
			const [{ operation, recipient, body }] = group;
			return { operation, recipient, body, seqs: group.map(({ seq }) => seq) };
		});
}

/** @param recipient only the requests to this recipient */
export function maxInFlight(entries: Entry[], recipient?: string): number {
	const steps: Array<[at: number, step: 1 | -1]> = [];
	for (const entry of entries) {
		if (recipient !== undefined && entry.recipient !== recipient) continue;
		steps.push([entry.at, 1]);
		if (entry.endedAt !== null) steps.push([entry.endedAt, -1]);
	}
	// At the same instant an end comes before a start: touching is not overlapping.
	steps.sort((left, right) => left[0] - right[0] || left[1] - right[1]);
	let now = 0;
	let most = 0;
	for (const [, step] of steps) most = Math.max(most, (now += step));
	return most;
}
