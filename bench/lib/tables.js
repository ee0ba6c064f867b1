/** The numbers as tables, for the terminal and for Markdown alike. */
const { CONTESTANTS } = require('./contestants');
const { goals } = require('./goals');
const { ask } = require('./results');
const { WORK } = require('./work');

/**
 * @typedef {{ title: string, columns: string[], rows: string[][] }} Table the first column is text, the others numbers
 */

const UNKNOWN = '–';
const number = (value, digits = 0) =>
	value === undefined
		? UNKNOWN
		: value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** The median, and the ends where they lie apart. */
function ranged(values, digits) {
	if (!values) return UNKNOWN;
	const [middle, least, most] = [values.median, values.min, values.max].map((value) =>
		number(value, digits),
	);
	return least === most ? middle : `${middle} (${least} to ${most})`;
}

const ratio = (values) => (values ? `${number(values.median, 2)} ×` : UNKNOWN);

const titleOf = ({ work, size, latency, special }) => {
	const items = `${number(size)} items`;
	if (special === 'dry') return `Reading and checking alone: a dry run, ${items}`;
	if (special === 'memory') return `Memory, each in an n8n started anew: ${items}`;
	const { label } = WORK[work];
	const service = `service at ${latency} ms`;
	return [`${label[0].toUpperCase()}${label.slice(1)}: ${items}`, service, special?.toUpperCase()]
		.filter(Boolean)
		.join(', ');
};

/** What stands beside each contestant, by kind of case. */
const COLUMNS = {
	race: (of, { size }, faster) => [
		['messages/s', ranged(of('perSecond'))],
		['against HTTP Request', ratio(faster('http'))],
		['against the floor', ratio(faster('floor'))],
		['held up, ms', ranged(of('silentMs'))],
		['CPU per message, ms', number(perItem(of('cpuMs'), size), 2)],
		['peak memory, MB', number(of('peakMb')?.median)],
		['in flight', number(of('maxInFlight')?.median)],
		['connections', number(of('connections')?.median)],
		['stored, kB', number(scaled(of('storedBytes'), 1 / 1024))],
	],
	dry: (of, { size }) => [
		['items/s', ranged(of('perSecond'))],
		['per item, ms', number(perItem(of('ms'), size), 2)],
		['held up, ms', ranged(of('silentMs'))],
		['CPU per item, ms', number(perItem(of('cpuMs'), size), 2)],
		['peak memory, MB', number(of('peakMb')?.median)],
	],
	memory: (of, { size }) => [
		['grown by, MB', ranged(of('grownMb'))],
		['per item, kB', number(perItem(scaled2(of('grownMb'), 1024), size), 1)],
		['peak memory, MB', number(of('peakMb')?.median)],
	],
};

const perItem = (values, size) => values && values.median / size;
const scaled = (values, factor) => values && values.median * factor;
const scaled2 = (values, factor) => values && { median: values.median * factor };

/**
 * @param {import('./results').Results} results
 * @returns {Table[]} one for each case
 */
function caseTables(results) {
	const about = ask(results);
	return results.cases.map((each) => {
		const cells = each.contestants.map((contestant) => {
			const of = (what) => about.of(each.id, contestant, what);
			const faster = (other) =>
				other === contestant ? undefined : about.faster(each.id, contestant, other);
			return COLUMNS[each.special ?? 'race']?.(of, each, faster) ?? COLUMNS.race(of, each, faster);
		});
		return {
			title: titleOf(each),
			columns: ['', ...cells[0].map(([name]) => name)],
			rows: each.contestants.map((contestant, at) => [
				CONTESTANTS[contestant].label,
				...cells[at].map(([, value]) => value),
			]),
		};
	});
}

/** @returns {Table} */
function goalTable(results) {
	const verdict = ({ met }) => (met === undefined ? 'not measured' : met ? 'met' : 'not met');
	return {
		title: 'Goals',
		columns: ['', 'goal', 'measured', ''],
		rows: goals(results).map((each) => [
			each.goal,
			each.target,
			each.measured ?? UNKNOWN,
			verdict(each),
		]),
	};
}

module.exports = { caseTables, goalTable, number, ranged, ratio };
