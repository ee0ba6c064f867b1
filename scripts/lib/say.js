/** What the scripts print: short lines that read well in a terminal and in a log file. */

/** @param {number} ms */
function duration(ms) {
	const seconds = ms / 1000;
	if (seconds < 10) return `${seconds.toFixed(1)} s`;
	if (seconds < 60) return `${Math.round(seconds)} s`;
	return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

const say = (text = '') => process.stdout.write(`${text}\n`);

/**
 * Runs a step that takes a while: its name first, a sign of life now and then, the time at the end.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {{ everyMs?: number }} [options]
 * @returns {Promise<T>}
 */
async function step(name, work, { everyMs = 20_000 } = {}) {
	const started = Date.now();
	const elapsed = () => duration(Date.now() - started);
	say(`  ${name} …`);
	const alive = setInterval(() => say(`    still at it, ${elapsed()} so far`), everyMs);
	try {
		const result = await work();
		say(`    done in ${elapsed()}`);
		return result;
	} finally {
		clearInterval(alive);
	}
}

module.exports = { say, step, duration };
