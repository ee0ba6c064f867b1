/** The numbers that are shown first: texts, at every latency of the service. */
const { barChart } = require('./chart');
const { CONTESTANTS } = require('./contestants');
const { ask } = require('./results');
const { number, ranged } = require('./tables');

const USUAL_SIZE = 1000;
const KINDS = { ours: 'ours', ours300: 'ours', floor: 'floor' };
const inWords = (latency) =>
	`The service answers ${latency === 0 ? 'at once' : `after ${latency} ms`}`;
const ORDER = Object.keys(CONTESTANTS);

/** For each latency the case with the usual number of items, or with the most there is. */
function headlineCases({ cases }) {
	const texts = cases.filter(({ work, special }) => work === 'text' && !special);
	const latencies = [...new Set(texts.map(({ latency }) => latency))].sort((a, b) => a - b);
	return latencies.map((latency) => {
		const candidates = texts.filter((each) => each.latency === latency);
		const [largest] = candidates.sort((left, right) => right.size - left.size);
		return candidates.find(({ size }) => size === USUAL_SIZE) ?? largest;
	});
}

/** @returns {import('./tables').Table} */
function headlineTable(results) {
	const about = ask(results);
	const chosen = headlineCases(results);
	const contestants = ORDER.filter((id) => chosen.some((each) => each.contestants.includes(id)));
	return {
		title: 'Messages per second',
		columns: ['', ...chosen.map(({ latency, size }) => `${number(size)} at ${latency} ms`)],
		rows: contestants.map((id) => [
			CONTESTANTS[id].label,
			...chosen.map((each) => ranged(about.of(each.id, id, 'perSecond'))),
		]),
	};
}

/** @returns {Record<string, string>} SVG by file name; what was not measured has no chart */
function charts(results) {
	const { setting } = results;
	const chosen = headlineCases(results);
	const foot = `${setting.cpu}, ${setting.cores} cores, n8n ${setting.n8n}, Node ${setting.node.slice(1)}, ${setting.date}`;
	const bars = (each, what, unit) => barsOf(results, each, what, unit);

	const legend =
		'The floor, dashed: bare requests, nothing checked. Thin lines: from the least to the most.';
	const speed = {
		title: 'Messages per second',
		subtitle:
			'Text messages with two expressions each, by the time the service takes: longer is better',
		legend,
		foot,
		groups: chosen.map((each) => ({
			title: `${inWords(each.latency)} · ${number(each.size)} messages`,
			bars: bars(each, 'perSecond', ''),
		})),
	};
	const [first] = chosen;
	const heldUp = first && {
		title: 'The longest time n8n answered nobody',
		subtitle: `While the node sends ${number(first.size)} text messages: the shorter the bar, the better`,
		legend,
		foot,
		groups: [{ title: inWords(first.latency), bars: bars(first, 'silentMs', ' ms') }],
	};
	return Object.fromEntries(
		Object.entries({ 'performance.svg': speed, 'performance-held-up.svg': heldUp })
			.filter(([, content]) => content?.groups.some((group) => group.bars.length > 0))
			.map(([name, content]) => [name, barChart(content)]),
	);
}

function barsOf(results, each, what, unit) {
	const about = ask(results);
	return ORDER.filter((id) => each.contestants.includes(id)).flatMap((id) => {
		const values = about.of(each.id, id, what);
		if (!values) return [];
		const { label } = CONTESTANTS[id];
		return [
			{ label, kind: KINDS[id] ?? 'other', text: `${number(values.median)}${unit}`, ...values },
		];
	});
}

module.exports = { headlineTable, charts };
