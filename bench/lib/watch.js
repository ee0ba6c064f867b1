/** Looks at n8n from outside while a node runs: does it still answer, and what does it take from the machine? */
const http = require('node:http');
const { cpuMs, forgetPeak, memoryMb } = require('./process-reading');

const EVERY_MS = 20;
const TIMEOUT_MS = 120_000;

/**
 * @typedef {object} Readings of a stretch of time
 * @property {number} silentMs the longest time that a health check waited for its answer
 * @property {number} checks
 * @property {number} unanswered health checks that met a broken connection or an error
 * @property {number} [cpuMs]
 * @property {number} [peakMb]
 * @property {number} [grownMb] from the beginning of the stretch to its peak
 *
 * @param {{ url: string, pid: number }} n8n
 */
function watch({ url, pid }) {
	const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
	const epoch = Date.now() - performance.now();
	const now = () => epoch + performance.now();
	const samples = [];
	const checks = [];
	let watching = true;

	forgetPeak(pid);
	const over = (async () => {
		while (watching) {
			const from = now();
			samples.push({ at: from, cpu: cpuMs(pid), ...memoryMb(pid) });
			const answered = await healthCheck(url, agent);
			checks.push({ from, to: now(), answered });
			// One that was late is followed at once, so that no second of silence goes unnoticed.
			await pause(from + EVERY_MS - now());
		}
		samples.push({ at: now(), cpu: cpuMs(pid), ...memoryMb(pid) });
		agent.destroy();
	})();

	return {
		/** @returns {Promise<(window: { from: number, to: number }) => Readings>} times since the epoch */
		async stop() {
			watching = false;
			await over;
			return (window) => readings(window, samples, checks);
		},
	};
}

function readings({ from, to }, samples, checks) {
	const inside = checks.filter((check) => check.to > from && check.from < to);
	const waits = inside.map((check) => Math.min(check.to, to) - Math.max(check.from, from));
	const [first, last] = [sampleAt(from, samples), sampleAt(to, samples)];
	const resident = samples.filter(({ at }) => at >= first.at && at <= last.at);
	const peakMb = highest([
		...resident.map((sample) => sample.now),
		// Peaks between two looks: as far as they are not from before.
		...(last.peak > first.peak ? [last.peak] : []),
	]);
	return {
		silentMs: Math.max(0, ...waits),
		checks: inside.length,
		unanswered: inside.filter(({ answered }) => !answered).length,
		cpuMs: first.cpu === undefined ? undefined : cpuAt(to, samples) - cpuAt(from, samples),
		peakMb,
		grownMb: peakMb === undefined ? undefined : peakMb - first.now,
	};
}

/** The last look that was not later. */
const sampleAt = (at, samples) => samples.findLast((sample) => sample.at <= at) ?? samples[0];

/** Between two looks the processor is taken to be used evenly. */
function cpuAt(at, samples) {
	const after = samples.findIndex((sample) => sample.at > at);
	if (after <= 0) return (after === 0 ? samples[0] : samples.at(-1)).cpu;
	const [left, right] = [samples[after - 1], samples[after]];
	const share = (at - left.at) / (right.at - left.at);
	return left.cpu + share * (right.cpu - left.cpu);
}

const highest = (values) => {
	const known = values.filter((value) => value !== undefined);
	return known.length ? Math.max(...known) : undefined;
};

const healthCheck = (url, agent) =>
	new Promise((resolve) => {
		const request = http.get(`${url}/healthz`, { agent, timeout: TIMEOUT_MS }, (response) => {
			response.resume().once('end', () => resolve(response.statusCode === 200));
		});
		request.once('timeout', () => request.destroy());
		request.once('error', () => resolve(false));
	});

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

module.exports = { watch };
