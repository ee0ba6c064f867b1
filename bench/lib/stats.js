/** Medians, and how far the runs lie apart. */

/** @param {number[]} values */
function median(values) {
	const sorted = [...values].sort((left, right) => left - right);
	const middle = sorted.length >> 1;
	return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * @param {(number | undefined)[]} values
 * @returns {{ median: number, min: number, max: number } | undefined} undefined when nothing is known
 */
function spread(values) {
	const known = values.filter((value) => Number.isFinite(value));
	if (known.length === 0) return undefined;
	return { median: median(known), min: Math.min(...known), max: Math.max(...known) };
}

module.exports = { median, spread };
