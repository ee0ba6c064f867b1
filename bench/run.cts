/**
 * `npm run bench`: the node against what people use instead, in one n8n, in turn. Writes RESULTS.md, its chart and the
 * sentence in README.md.
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
import { onEnd } from '../scripts/start.js';
import { log } from '../scripts/start.js';
import * as paths from '../scripts/lib/paths.cts';
import { ensureN8n, n8nNode } from '../scripts/lib/setup.cts';
import n8n from '../test/n8n/package.json';
import { barChart } from './chart.cts';
import { openEnvironment } from './environment.cts';
import { measure, type Measurement } from './measure.cts';
import { RIVALS, SCENARIOS, type RivalName, type Scenario } from './scenarios.cts';

const MARKS = /(<!-- performance -->)[^]*?(<!-- \/performance -->)/;

/** By scenario and rival, a measurement for each round. */
type Results = Array<{ scenario: Scenario; of: Partial<Record<RivalName, Measurement[]>> }>;

/** Round by round, so that a slow minute of the machine meets everyone; each round begins with another rival. */
async function race(rounds: number): Promise<Results> {
	const environment = await openEnvironment();
	try {
		const client = await environment.signIn();
		const results: Results = SCENARIOS.map((scenario) => ({ scenario, of: {} }));
		// The first run of a process is slow for whoever has it.
		for (const rival of Object.keys(RIVALS) as RivalName[]) {
			await measure(environment, client, { ...SCENARIOS[0], size: 100 }, rival);
		}
		for (let round = 1; round <= rounds; round++) {
			for (const { scenario, of } of results) {
				const { rivals } = scenario;
				const first = round % rivals.length;
				for (const rival of [...rivals.slice(first), ...rivals.slice(0, first)]) {
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

function table(results: Results) {
	const rivals = Object.keys(RIVALS) as RivalName[];
	const rows = results.map(({ scenario, of }) => [
		scenario.title,
		...rivals.map((rival) => {
			const runs = of[rival];
			if (!runs) return '–';
			const times = rival === 'ours' ? '' : `, ${faster(of.ours, runs).toFixed(1)} ×`;
			return spread(perSecond(runs)) + times;
		}),
	]);
	const header = ['', ...rivals.map((rival) => RIVALS[rival].label)];
	const line = header.map((_, at) => (at ? '--:' : ':--'));
	return [header, line, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** On what the numbers were taken. */
function setting(rounds: number) {
	const [{ model }, ...others] = os.cpus();
	const node = execFileSync(n8nNode(), ['--version'], { encoding: 'utf8' }).trim();
	const date = new Date().toISOString().slice(0, 10);
	const memory = Math.round(os.totalmem() / 2 ** 30);
	return `${date}, n8n ${n8n.dependencies.n8n}, Node ${node.slice(1)}, ${model.trim()}, ${others.length + 1} cores, ${memory} GB, ${rounds} rounds`;
}

const page = (results: Results, taken: string) => `<!-- Written by \`npm run bench\`. -->

# Performance

The table has the messages per second of lists of 1,000 text messages with two mapped fields: the median (least–most), by how long the service takes to respond. \`npm run bench\` measured it: ${taken}.

![Messages per second](../docs/images/performance.svg)

<details><summary>All numbers</summary>

${table(results)}

</details>

All run in one n8n, in turn. The number with × is how many times as high this node's median is. After each run, every customer had exactly one message. The HTTP Request node and a declarative node don't limit the messages in flight (100 here), don't check the list first, and don't know what was sent before a retry. The _bare floor_ is a minimal node that posts a constant text with n8n's own helper. It checks nothing, and reads responses of any size. Over HTTPS, n8n opens a new connection for each request.
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
	const sentence = `Over HTTPS, with a service that responds after 50 ms, it sends ${shown(median(perSecond(of.ours)))} messages per second: ${faster(of.ours, of.http).toFixed(1)} × the HTTP Request node. [All numbers](bench/RESULTS.md).`;
	const readme = fs.readFileSync(path.join(paths.root, 'README.md'), 'utf8');
	await save(
		'README.md',
		readme.replace(MARKS, (_, open: string, close: string) => `${open}\n\n${sentence}\n\n${close}`),
	);
	const chart = barChart({
		title: 'Messages per second over HTTPS',
		subtitle: '1,000 text messages with two mapped fields: longer is better',
		foot: taken,
		groups: results.slice(0, 3).map(({ scenario, of }) => ({
			title: `The service responds after ${scenario.latency} ms`,
			bars: (['ours', 'http'] as const).map((rival) => ({
				label: RIVALS[rival].label,
				isOurs: rival === 'ours',
				value: Math.round(median(perSecond(of[rival]))),
			})),
		})),
	});
	fs.writeFileSync(path.join(paths.root, 'docs/images/performance.svg'), chart);
}

async function main() {
	const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
	const rounds = Number(values.rounds);
	if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds wants a whole number');
	await ensureN8n();
	const results = await race(rounds);
	await write(results, rounds);
	log(`\n${table(results)}\n\nWritten: bench/RESULTS.md, docs/images/performance.svg, README.md`);
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
