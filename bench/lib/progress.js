/** One line that says where a run stands: rewritten in a terminal, appended in a log file. */
const { duration, log } = require('../../scripts/lib/log.cts');

const { stdout } = process;

/** @param {number} total weight of all the work ahead */
function progress(total) {
	let started = Date.now();
	let done = 0;
	let shown = '';

	const write = (text) => {
		if (!stdout.isTTY) return log(text);
		shown = text.slice(0, Math.max(20, (stdout.columns ?? 80) - 1));
		stdout.write(`\r\u001b[K${shown}`);
	};

	return {
		now(text) {
			const elapsed = Date.now() - started;
			const left = done > 0 ? `, ${duration((elapsed / done) * (total - done))} left` : '';
			write(`  ${Math.floor((done / total) * 100)} %${left}  ${text}`);
		},
		/** What came before has said nothing about the time that is left. */
		begin() {
			started = Date.now();
		},
		did(weight) {
			done += weight;
		},
		/** A line that stays. */
		note(text) {
			if (stdout.isTTY) stdout.write('\r\u001b[K');
			log(`  ${text}`);
		},
		end() {
			if (stdout.isTTY && shown) stdout.write('\r\u001b[K');
			log(`  measured in ${duration(Date.now() - started)}`);
		},
	};
}

module.exports = { progress };
