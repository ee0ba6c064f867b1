/** What this project has set itself, and whether it is reached. Timings are judged here and fail nothing. */
const { ask } = require('./results');

const OURS = ['ours', 'ours300'];

/** How a case is called in a sentence. */
const named = ({ work, size, latency, special }) =>
	[special, work === 'text' ? '' : work, `${size.toLocaleString('en')} items`, `${latency} ms`]
		.filter(Boolean)
		.join(', ');

/**
 * @param {import('./results').Results} results
 * @returns {{ goal: string, target: string, measured?: string, met?: boolean }[]} without `measured` where this run has nothing to say
 */
function goals(results) {
	const about = ask(results);

	const faster = (goal, caseId, contestant, other, least) => {
		const ratio = about.faster(caseId, contestant, other);
		return row(goal, `≥ ${least} ×`, ratio && times(ratio.median), ratio?.median >= least);
	};

	return [
		...[0, 50].flatMap((ms) => [
			faster(`HTTP Request, 1,000 texts, ${ms} ms`, `text-1000-${ms}`, 'ours', 'http', 2.3),
			faster(`Declarative, 1,000 texts, ${ms} ms`, `text-1000-${ms}`, 'ours', 'declarative', 3.5),
		]),
		faster('HTTP Request, 1,000 texts, 200 ms', 'text-1000-200', 'ours', 'http', 1.1),
		faster(
			'HTTP Request, 1,000 texts, 200 ms, with Max Concurrency 300',
			'text-1000-200',
			'ours300',
			'http',
			1.5,
		),
		floorEverywhere(results, about),
		costPerItem(about),
		memoryPerItem(results, about),
		heldUp(results, about),
	];
}

const row = (goal, target, measured, met) =>
	measured === undefined ? { goal, target } : { goal, target, measured, met };

const times = (ratio) => `${ratio.toFixed(2)} ×`;

function floorEverywhere({ cases }, about) {
	const goal = 'The floor, wherever both ran (where it is least)';
	const [least] = cases
		.filter(({ special }) => special !== 'memory' && special !== 'dry')
		.map((each) => ({ each, ratio: about.faster(each.id, 'ours', 'floor')?.median }))
		.filter(({ ratio }) => ratio !== undefined)
		.sort((left, right) => left.ratio - right.ratio);
	const measured = least && `${times(least.ratio)} (${named(least.each)})`;
	return row(goal, '≥ 0.9 ×', measured, least?.ratio >= 0.9);
}

function costPerItem(about) {
	const [small, large] = [1000, 10_000].map((size) => {
		const ms = about.of(`text-${size}-0`, 'ours', 'ms');
		return ms && ms.median / size;
	});
	const ratio = small && large && large / small;
	const goal = 'Time per item at 10,000 items, against 1,000';
	return row(goal, '≤ 1.15 ×', ratio && times(ratio), ratio <= 1.15);
}

function memoryPerItem({ cases }, about) {
	const goal = 'Memory per item, against HTTP Request';
	const each = cases.find(({ special }) => special === 'memory');
	const grown = (contestant) => each && about.of(each.id, contestant, 'grownMb')?.median;
	const [own, other] = [grown('ours'), grown('http')];
	const ratio = own && other && own / other;
	const measured =
		ratio && `${times(ratio)} (${kb(own, each.size)} against ${kb(other, each.size)} kB)`;
	return row(goal, '≤ 1.2 ×', measured, ratio <= 1.2);
}

const kb = (mb, items) => ((mb * 1024) / items).toFixed(1);

function heldUp({ cases }, about) {
	const goal = 'n8n held up, the worst of all runs';
	const [worst] = cases
		.flatMap((each) =>
			OURS.map((contestant) => ({ each, ms: about.of(each.id, contestant, 'silentMs') })),
		)
		.filter(({ ms }) => ms !== undefined)
		.sort((left, right) => right.ms.max - left.ms.max);
	const measured = worst && `${Math.round(worst.ms.max)} ms (${named(worst.each)})`;
	return row(goal, '≤ 100 ms', measured, worst?.ms.max <= 100);
}

module.exports = { goals, named };
