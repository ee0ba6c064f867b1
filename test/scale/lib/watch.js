/** Looks at something again and again while work goes on. */
const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');

/**
 * @template T
 * @param {() => T | Promise<T>} look
 * @param {number} everyMs
 */
function watch(look, everyMs) {
	const seen = [];
	let over = false;
	const done = (async () => {
		while (!over) {
			seen.push(await look());
			await sleep(everyMs);
		}
	})();
	return {
		/** @returns {Promise<T[]>} what was seen */
		async end() {
			over = true;
			await done;
			return seen;
		},
	};
}

/** Megabytes of memory that a process holds now. */
function memoryOf(pid) {
	const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
	return Math.round(Number(kilobytes) / 1024);
}

/** Milliseconds until a process of n8n answers a question that needs no work. */
async function answerTime(url) {
	const asked = performance.now();
	await (await fetch(`${url}/healthz`)).arrayBuffer();
	return performance.now() - asked;
}

module.exports = { watch, memoryOf, answerTime };
