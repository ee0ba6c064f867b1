/** What the terminal shows at the end. */
const { log } = require('../../scripts/lib/log.cts');
const { ask } = require('./results');
const { caseTables, goalTable } = require('./tables');

/** In percent; the health checks alone make a tenth or so. */
const BUSY = 25;

/** @param {import('./results').Results} results */
function printSummary(results) {
	for (const table of [...caseTables(results), goalTable(results)]) print(table);
	const busy = Math.round(results.idle.busy * 100);
	if (busy > BUSY) {
		log(
			`\n  The machine was ${busy} % busy before it began: take these numbers with a grain of salt.`,
		);
	}
	const { problems } = ask(results);
	for (const { caseId, contestant, problem } of problems) {
		log(`  FAILED  ${caseId}, ${contestant}: ${problem}`);
	}
	log(problems.length ? '' : '  Every customer got every message exactly once, in every run.\n');
}

/** @param {import('./tables').Table} table */
function print({ title, columns, rows }) {
	const widths = columns.map((name, at) =>
		Math.max(...[name, ...rows.map((row) => row[at])].map(({ length }) => length)),
	);
	const line = (cells) =>
		cells
			.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at])))
			.join('   ');
	log(`\n${title}`);
	for (const cells of [columns, ...rows]) log(`  ${line(cells)}`);
}

module.exports = { printSummary };
