/** What the scripts print: short lines that read well in a terminal and in a log file. */

const CLEAR_LINE = '\r\x1b[2K';

/** @param {number} ms */
function duration(ms) {
	const seconds = ms / 1000;
	if (seconds < 10) return `${seconds.toFixed(1)} s`;
	if (seconds < 60) return `${Math.round(seconds)} s`;
	return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** What a terminal shows in its last line until something else is known. */
let status = '';

function say(text = '') {
	process.stdout.write(`${status && CLEAR_LINE}${text}\n${status}`);
}

/**
 * Shows what is under way: in a terminal in one line that is written anew, in a log file now and then in a new one.
 *
 * @param {() => string} describe
 * @param {{ everyMs?: number }} [options] in a log file
 * @returns {() => void} ends it
 */
function showStatus(describe, { everyMs = 20_000 } = {}) {
	const inTerminal = process.stdout.isTTY;
	const show = () => {
		if (!inTerminal) return say(describe());
		status = describe().slice(0, (process.stdout.columns ?? 80) - 1);
		process.stdout.write(`${CLEAR_LINE}${status}`);
	};
	const timer = setInterval(show, inTerminal ? 250 : everyMs);
	if (inTerminal) show();
	return () => {
		clearInterval(timer);
		if (status) process.stdout.write(CLEAR_LINE);
		status = '';
	};
}

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

module.exports = { say, showStatus, step, duration };
