/** The words around the numbers. */
const { CONTESTANTS } = require('./contestants');
const { headlineTable } = require('./headline');
const { ask } = require('./results');
const { caseTables, goalTable, number } = require('./tables');

const NOTE = '<!-- Written by `npm run bench`. Changes by hand are lost with the next run. -->';

/** @param {import('./results').Results} results */
function page(results) {
	const { idle, setting, cases } = results;
	const taking = Object.keys(CONTESTANTS).filter((id) =>
		cases.some(({ contestants }) => contestants.includes(id)),
	);
	return `${NOTE}

# Performance

${inShort(results)}

![Messages per second](images/performance.svg)

${table(headlineTable(results))}

![The longest time n8n answered nobody](images/performance-held-up.svg)

## Goals

${table(goalTable(results))}

## Who takes part

${taking.map((id) => `- **${CONTESTANTS[id].label}**: ${CONTESTANTS[id].what}.`).join('\n')}

## How it is measured

\`npm run bench\` starts one n8n, installs all contestants in it, and starts the sandbox as the service, in a process of its own. A list of customers comes from a source node, one node sends, nothing follows it; executions are saved as usual. The contestants take turns, in ${setting.rounds === 1 ? 'one round' : `${setting.rounds} rounds, each in another order`}, after a warm-up that does not count. Shown is the median, with the least and the most where they differ; ratios are taken within a round.

- **messages/s**: by the node's own execution time, as n8n's run data has it, the reading of the parameters included.
- **held up**: the longest time that a health check waited for its answer while the node ran; the next one follows 20 ms after the one before. With nothing to do, this n8n answered ${number(idle.checks)} of them within ${number(idle.silentMs)} ms at most: so much of each number is not the node's. Health checks included, the machine was ${Math.round(idle.busy * 100)} % busy then.
- **CPU per message**: of n8n's own process, its task runner apart, while the node ran; the health checks are part of it, the same for everyone.
- **peak memory**: of n8n's process while the node ran. It does not shrink between runs, so who takes how much is measured on its own, each contestant in an n8n started anew: from the beginning of the node to its peak.
- **in flight, connections**: as the service counted them. With a service that answers at once there is hardly ever more than one in flight.
- **stored**: length of the execution's data as n8n saved it, the list of customers included.

After every run the service's ledger is compared with the list: each customer exactly once, or the run counts as failed. ${failures(results)}

## All numbers

${caseTables(results)
	.map((each) => `### ${each.title}\n\n${table(each)}`)
	.join('\n\n')}
`;
}

/**
 * What the README shows.
 *
 * @param {string} docs where page and charts are, seen from there
 */
function section(results, docs) {
	return `${NOTE}

![Messages per second](${docs}images/performance.svg)

${table(headlineTable(results))}

${inShort(results)} [All numbers, and how they are measured](${docs}performance.md).`;
}

function inShort({ setting }) {
	const { date, cpu, cores, memoryGb, system, node, n8n } = setting;
	return `Measured on ${date} with n8n ${n8n} and Node ${node.slice(1)} on ${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, in ${Math.round(setting.minutes)} minutes.`;
}

function failures(results) {
	const { problems } = ask(results);
	if (problems.length === 0) return 'None did.';
	return `These did:\n\n${problems
		.map(({ caseId, contestant, problem }) => `- ${caseId}, ${contestant}: ${problem}`)
		.join('\n')}`;
}

/** @param {import('./tables').Table} table */
function table({ columns, rows }) {
	const line = (cells) => `| ${cells.join(' | ')} |`;
	const rule = columns.map((_, at) => (at === 0 ? '---' : '---:'));
	return [columns, rule, ...rows].map(line).join('\n');
}

module.exports = { page, section };
