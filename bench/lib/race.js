/** All contestants through all cases, in turn and interleaved over the rounds. */
const { setTimeout: sleep } = require('node:timers/promises');
const { openHouse } = require('./house');
const { label, measure, measureIdle } = require('./measure');
const { named } = require('./goals');
const { progress } = require('./progress');
const { setting } = require('./setting');

const WARM_UP_ITEMS = 100;
const IDLE_MS = 3_000;
/** Between two runs, so that what n8n does after a run is not on the bill of the next. */
const REST_MS = 500;

/**
 * @param {import('./matrix').Case[]} cases
 * @param {number} rounds
 * @returns {Promise<import('./results').Results>}
 */
async function race(cases, rounds) {
	const started = Date.now();
	const plan = planOf(cases, rounds);
	const weight = ({ each }) => weightOf(each);
	const shown = progress(plan.reduce((sum, step) => sum + weight(step), 0));
	const house = await openHouse({ withTls: cases.some(({ special }) => special === 'tls') });
	try {
		const idle = await measureIdle(house, IDLE_MS);
		let client = await house.client();
		await warmUp(house, client, cases, shown);

		const runs = [];
		shown.begin();
		for (const step of plan) {
			const { each, contestant, round } = step;
			if (each.special === 'memory') {
				await house.n8n.restart();
				client = await house.client();
				await measure(house, client, { ...each, size: WARM_UP_ITEMS }, contestant);
			}
			await sleep(REST_MS);
			const what = `round ${round} of ${rounds}, ${named(each)}, ${label(contestant)}`;
			shown.now(what);
			const run = await attempt(() => measure(house, client, each, contestant));
			if (run.problem) shown.note(`${what}: ${run.problem}`);
			runs.push({ caseId: each.id, contestant, round, ...run });
			shown.did(weight(step));
		}
		shown.end();
		const minutes = (Date.now() - started) / 60_000;
		return { setting: { ...setting(), rounds, minutes }, idle, cases, runs };
	} finally {
		await house.stop();
	}
}

/** A run that breaks does not end the others. */
async function attempt(run) {
	try {
		return await run();
	} catch (error) {
		return { problem: error.message };
	}
}

/** Round by round, so that a slow minute of the machine meets everyone; every round in another order. */
function planOf(cases, rounds) {
	const plan = [];
	const inRace = cases.filter(({ special }) => special !== 'memory');
	const alone = cases.filter(({ special }) => special === 'memory');
	for (const some of [inRace, alone]) {
		for (let round = 1; round <= rounds; round++) {
			for (const each of some) {
				if (round > (each.rounds ?? rounds)) continue;
				for (const contestant of inOrder(each.contestants, round)) {
					plan.push({ each, contestant, round });
				}
			}
		}
	}
	return plan;
}

function inOrder(contestants, round) {
	const shift = (round >> 1) % contestants.length;
	const shifted = [...contestants.slice(shift), ...contestants.slice(0, shift)];
	return round % 2 ? shifted : shifted.reverse();
}

/** Everybody once with each kind of work: the first run of a process is slow for whoever has it. */
async function warmUp(house, client, cases, shown) {
	const kinds = new Map();
	for (const each of cases.filter(({ special }) => !special || special === 'tls')) {
		for (const contestant of each.contestants) {
			kinds.set(`${each.work} ${each.special} ${contestant}`, { each, contestant });
		}
	}
	for (const { each, contestant } of kinds.values()) {
		shown.now(`warming up, ${label(contestant)}`);
		await attempt(() =>
			measure(house, client, { ...each, size: WARM_UP_ITEMS, latency: 0 }, contestant),
		);
	}
}

/** A guess in seconds, for the time that is left. */
const weightOf = ({ size, latency, special }) =>
	2 + size / 200 + (size / 1000) * (latency / 50) + (special === 'memory' ? 20 : 0);

module.exports = { race };
