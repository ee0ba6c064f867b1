'use strict';

// Pure readings of ledger entries: they work on the live ledger and on what its HTTP address gave.

/**
 * @param {import('./ledger').Entry[]} entries
 * @returns {Map<string, number>} recipient to number of accepted messages
 */
function deliveriesByRecipient(entries) {
	const deliveries = new Map();
	for (const { accepted, recipient } of entries) {
		if (accepted) deliveries.set(recipient, (deliveries.get(recipient) ?? 0) + 1);
	}
	return deliveries;
}

/**
 * A duplicate is the very same message (operation, recipient, content) accepted more than once.
 *
 * @param {import('./ledger').Entry[]} entries
 * @returns {{ operation: string, recipient: string, body: any, seqs: number[] }[]}
 */
function duplicates(entries) {
	const groups = new Map();
	for (const entry of entries) {
		if (!entry.accepted) continue;
		const group = groups.get(entry.fingerprint);
		if (group) group.push(entry);
		else groups.set(entry.fingerprint, [entry]);
	}
	return [...groups.values()]
		.filter((group) => group.length > 1)
		.map((group) => ({
			operation: group[0].operation,
			recipient: group[0].recipient,
			body: group[0].body,
			seqs: group.map(({ seq }) => seq),
		}));
}

/**
 * @param {import('./ledger').Entry[]} entries
 * @param {string} [recipient] only the requests to this recipient
 */
function maxInFlight(entries, recipient) {
	const turns = [];
	for (const entry of entries) {
		if (recipient !== undefined && entry.recipient !== recipient) continue;
		turns.push([entry.at, 1]);
		if (entry.endedAt !== null) turns.push([entry.endedAt, -1]);
	}
	// At the same instant an end comes before a start: touching is not overlapping.
	turns.sort((left, right) => left[0] - right[0] || left[1] - right[1]);
	let now = 0;
	let most = 0;
	for (const [, step] of turns) most = Math.max(most, (now += step));
	return most;
}

module.exports = { deliveriesByRecipient, duplicates, maxInFlight };
