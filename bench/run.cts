/**
 * `npm run bench`: the node against what people use instead, in one n8n, in turn. Writes RESULTS.md
 * and the sentence in README.md.
 *
 *   npm run bench               on a quiet machine
 *   npm run bench -- --rounds 1
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import prettier from 'prettier';
import { stopAll } from '../scripts/lib/child.cts';
import { log, onEnd } from '../scripts/start.js';
import * as paths from '../scripts/lib/paths.cts';
import { ensureN8n, n8nNode } from '../scripts/lib/setup.cts';
import n8n from '../test/n8n/package.json';
import { openEnvironment } from './environment.cts';
import { measure, type Measurement } from './measure.cts';
import { FIRST_REQUEST, RIVALS, SCENARIOS, type RivalName, type Scenario } from './scenarios.cts';

const MARKS = /(<!-- performance -->)[^]*?(<!-- \/performance -->)/;

/** By scenario and rival, a measurement for each round. */
type Results = Array<{ scenario: Scenario; of: Partial<Record<RivalName, Measurement[]>> }>;

/**
 * Round by round, so that a slow minute of the machine meets everyone. Each round begins
 * with another rival.
 */
async function race(rounds: number): Promise<Results> {
	const environment = await openEnvironment();
	try {
		const client = await environment.signIn();
		const results: Results = [...SCENARIOS, ...FIRST_REQUEST].map((scenario) => ({
			scenario,
			of: {},
		}));
		// The first run of a process is slow for whoever has it.
		for (const rival of Object.keys(RIVALS) as RivalName[]) {
			await measure(environment, client, { ...SCENARIOS[0], size: 100 }, rival);
		}
		for (let round = 1; round <= rounds; round++) {
			for (const { scenario, of } of results) {
				const [last, ...others] = scenario.rivals;
				scenario.rivals = [...others, last];
				for (const rival of scenario.rivals) {
					const measured = await measure(environment, client, scenario, rival);
					(of[rival] ??= []).push(measured);
					log(`  ${round}/${rounds}  ${scenario.title}, ${rival}: ${shown(measured.perSecond)}/s`);
				}
			}
		}
		return results;
	} finally {
		await environment.stop();
	}
}

const shown = (value: number) => Math.round(value).toLocaleString('en');

function median(values: number[]) {
	const sorted = values.toSorted((left, right) => left - right);
	return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

const perSecond = (runs: Measurement[] = []) => runs.map((run) => run.perSecond);

/** The median, and the ends. */
function spread(values: number[]) {
	const [least, most] = [Math.min(...values), Math.max(...values)].map(shown);
	return least === most ? shown(median(values)) : `${shown(median(values))} (${least}–${most})`;
}

/** How many times as high our median is. */
const faster = (ours?: Measurement[], theirs?: Measurement[]) =>
	median(perSecond(ours)) / median(perSecond(theirs));

/** @param rows with the header's first */
function tableOf([header, ...rows]: string[][]) {
	const line = header.map((_, at) => (at ? '--:' : ':--'));
	return [header, line, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** What it costs that the first request of an execution goes alone. */
const firstRequestList = (results: Results) =>
	results
		.filter(({ scenario }) => scenario.runs)
		.map(({ scenario, of }) => {
			const timeOf = (run: number) => shown(median(of.ours!.map(({ runsMs }) => runsMs[run])));
			return `- ${scenario.title}: ${timeOf(0)} ms, then ${timeOf(1)} ms`;
		})
		.join('\n');

function speedTable(results: Results) {
	const rivals = Object.keys(RIVALS) as RivalName[];
	const single = results.filter(({ scenario }) => !scenario.runs);
	const rows = single.map(({ scenario, of }) => [
		scenario.title,
		...rivals.map((rival) => {
			const runs = of[rival];
			if (!runs) return '–';
			const times = rival === 'ours' ? '' : `, ${faster(of.ours, runs).toFixed(1)} ×`;
			return spread(perSecond(runs)) + times;
		}),
	]);
	return tableOf([['', ...rivals.map((rival) => RIVALS[rival].label)], ...rows]);
}

/** On what the numbers were taken. */
function setting(rounds: number) {
	const cores = os.cpus();
	const node = execFileSync(n8nNode(), ['--version'], { encoding: 'utf8' }).trim();
	const date = new Date().toISOString().slice(0, 10);
	return (
		`${date}, n8n ${n8n.dependencies.n8n}, Node ${node.slice(1)}, ${cores[0].model.trim()}, ` +
		`${cores.length} cores, ${rounds} rounds`
	);
}

const page = (results: Results, taken: string) => `<!-- Written by \`npm run bench\`. -->

# Performance

The table has the messages per second of lists of 1,000 text messages with two mapped fields: the \
median (least–most), by how long the service takes to respond. \`npm run \
bench\` measured it: ${taken}.

${speedTable(results)}

All run in one n8n, in turn. The number with × is how many times as high this node's median is. \
Every customer had exactly one message. The HTTP Request node and a declarative \
node don't limit the messages in flight (100 here), don't check the list first, and don't know \
what was sent before a retry. The _bare floor_ is a minimal node that posts a constant text with \
n8n's own helper. It checks nothing. The bare node _with \
authentication and a limit_ also uses n8n's authentication, and reads at most 1 MB of a response, \
as this node does. Over HTTPS, n8n opens a new \
connection for each request.

## The first request

Until a message is accepted, one request of an execution goes alone. The first and \
the second run of a loop:

${firstRequestList(results)}
`;

async function write(results: Results, rounds: number) {
	const taken = setting(rounds);
	const config = await prettier.resolveConfig(__filename);
	const save = async (file: string, text: string) =>
		fs.writeFileSync(
			path.join(paths.root, file),
			await prettier.format(text, { ...config, parser: 'markdown' }),
		);
	await save('bench/RESULTS.md', page(results, taken));
	const { of } = results.find(({ scenario }) => scenario.tls && scenario.latency === 50)!;
	const sentence =
		'Over HTTPS, with a service that responds after 50 ms, it sends ' +
		`${shown(median(perSecond(of.ours)))} messages per second: ` +
		`${faster(of.ours, of.http).toFixed(1)} × the HTTP Request node, and ` +
		`${faster(of.ours, of.limited).toFixed(1)} × a minimal node with n8n's authentication and a ` +
		`limit for responses (${faster(of.ours, of.floor).toFixed(1)} × one without both). ` +
		'[All numbers](bench/RESULTS.md).';
	const readme = fs.readFileSync(path.join(paths.root, 'README.md'), 'utf8');
	await save(
		'README.md',
		readme.replace(MARKS, (_, open: string, close: string) => `${open}\n\n${sentence}\n\n${close}`),
	);
}

async function main() {
	const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
	const rounds = Number(values.rounds);
	await ensureN8n();
	const results = await race(rounds);
	await write(results, rounds);
	log(`\n${speedTable(results)}\n\n${firstRequestList(results)}`);
}

onEnd(async () => {
	await stopAll();
	process.exit(130);
});

main().catch(async (error: Error) => {
	log(`\n${error.message}`);
	await stopAll();
	process.exitCode = 1;
});
