/** What the terminal shows at the end, the page, and the section of the README. */
import fs from 'node:fs';
import path from 'node:path';
import { markdownTable } from 'markdown-table';
import prettier from 'prettier';
import { log } from '../scripts/lib/log.cts';
import * as paths from '../scripts/lib/paths.cts';
import { barChart } from './chart.cts';
import { judge, share } from './goals.cts';
import { ask, type Results, type Spread } from './results.cts';
import { RIVALS, type RivalName } from './rivals.cts';
import { titleOf, type Scenario } from './scenarios.cts';

const NOTE = '<!-- Written by `npm run bench`. Changes by hand are lost with the next run. -->';
const MARKS = /(<!-- performance -->)[\s\S]*?(<!-- \/performance -->)/;
const UNKNOWN = '–';

const number = (value: number | undefined, digits = 0) =>
	value === undefined
		? UNKNOWN
		: value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** The median, and the ends where they lie apart. */
function ranged(values: Spread | undefined) {
	if (!values) return UNKNOWN;
	const [middle, least, most] = [values.median, values.min, values.max].map((each) => number(each));
	return least === most ? middle : `${middle} (${least} to ${most})`;
}

const times = (values: Spread | undefined) => (values ? `${number(values.median, 2)} ×` : UNKNOWN);

/** The first column is text, the others are numbers. */
const table = (header: string[], rows: string[][]) =>
	markdownTable([header, ...rows], { align: header.map((_, at) => (at === 0 ? 'l' : 'r')) });

const goalTable = (results: Results) =>
	table(
		['goal', 'target', 'measured', ''],
		judge(results).map(({ goal, target, measured, isMet }) => [
			goal,
			target,
			measured,
			isMet ? 'pass' : '**fail**',
		]),
	);

function speedTable(results: Results) {
	const about = ask(results);
	const inRace = results.scenarios.filter(({ kind }) => kind !== 'memory');
	return table(
		[
			'',
			'messages/s',
			'× HTTP Request',
			'× declarative node',
			'× bare floor',
			'share of the limit',
		],
		inRace.map((scenario) => [
			titleOf(scenario),
			number(about.of(scenario, 'ours', 'perSecond')?.median),
			...(['http', 'declarative', 'floor'] as const).map((id) => times(about.faster(scenario, id))),
			number(share(results, scenario), 2),
		]),
	);
}

function memoryTable(results: Results) {
	const about = ask(results);
	const perItem = ({ size }: Scenario, values: Spread | undefined, unit = 1) =>
		number(values && (values.median * unit) / size, 2);
	return table(
		['items', 'ms per item', 'kB per item', 'peak above an idle n8n, MB', 'longest pause, ms'],
		results.scenarios
			.filter(({ kind }) => kind === 'memory')
			.map((scenario) => [
				number(scenario.size),
				perItem(scenario, about.of(scenario, 'ours', 'ms')),
				perItem(scenario, about.of(scenario, 'ours', 'memoryMb'), 1024),
				ranged(about.of(scenario, 'ours', 'memoryMb')),
				ranged(about.of(scenario, 'ours', 'pauseMs')),
			]),
	);
}

function fullTable(results: Results) {
	const about = ask(results);
	return table(
		['', 'messages/s', 'longest pause, ms', 'CPU per message, ms', 'in flight', 'connections'],
		results.scenarios.flatMap((scenario) =>
			scenario.rivals.map((rival) => {
				const of = (what: Parameters<typeof about.of>[2]) => about.of(scenario, rival, what);
				const cpu = of('cpuMs');
				return [
					`${titleOf(scenario)}: ${RIVALS[rival].label}`,
					ranged(of('perSecond')),
					ranged(of('pauseMs')),
					number(cpu && cpu.median / scenario.size, 2),
					number(of('maxInFlight')?.median),
					number(of('connections')?.median),
				];
			}),
		),
	);
}

/** @returns whether all goals that were measured are met, and all messages arrived exactly once */
export function printSummary(results: Results): boolean {
	const problems = results.runs.filter(({ problem }) => problem);
	for (const show of [fullTable, speedTable, memoryTable, goalTable]) log(`\n${show(results)}`);
	for (const { scenario, rival, round, problem } of problems) {
		log(`  FAILED  ${scenario}, ${rival}, round ${round}: ${problem}`);
	}
	const missed = judge(results).filter(({ isMet }) => !isMet).length;
	if (problems.length === 0)
		log('\n  Every customer got every message exactly once, in every run.');
	log(missed ? `  ${missed} of the goals failed.` : '  All goals that were measured passed.');
	return problems.length === 0 && missed === 0;
}

/** Texts with fields from `$json`, by latency and messages in flight. */
const headline = ({ scenarios }: Results) =>
	scenarios.filter(({ kind, size }) => kind === 'text' && size === 1_000);

function chart(results: Results) {
	const about = ask(results);
	const kinds: Partial<Record<RivalName, 'ours' | 'floor'>> = { ours: 'ours', floor: 'floor' };
	return barChart({
		title: 'Messages per second',
		subtitle: '1,000 text messages with two mapped fields: longer is better',
		legend:
			'Bare floor, dashed: constants, nothing checked. Thin lines: from the least to the most.',
		foot: inShort(results),
		groups: headline(results).map((scenario) => ({
			title: `The service answers after ${scenario.latency} ms · ${scenario.inFlight} in flight`,
			bars: scenario.rivals.flatMap((rival) => {
				const values = about.of(scenario, rival, 'perSecond');
				const { label } = RIVALS[rival];
				if (!values) return [];
				return { label, kind: kinds[rival] ?? 'other', text: number(values.median), ...values };
			}),
		})),
	});
}

const inShort = ({ setting: { date, cpu, cores, memoryGb, node, n8n } }: Results) =>
	`${date}, n8n ${n8n}, Node ${node}, ${cpu}, ${cores} cores, ${memoryGb} GB`;

const page = (results: Results) => `${NOTE}

# Performance

Measured: ${inShort(results)}, in ${Math.round(results.setting.minutes)} minutes.

![Messages per second](images/performance.svg)

${speedTable(results)}

Text messages with two fields from \`$json\`, unless a row says otherwise. The _limit_ is arithmetic: messages in flight divided by the latency of the service.

## Goals

${goalTable(results)}

## Long lists

${memoryTable(results)}

## Who takes part

${Object.values(RIVALS)
	.map(({ label, what }) => `- **${label}**: ${what}.`)
	.join('\n')}

## How it is measured

\`npm run bench\` starts one n8n, installs everyone in it, and starts the sandbox as the service, in a process of its own. A list of customers comes from a source node, one node sends, nothing follows it; executions are saved as usual. The rivals take turns in ${results.setting.rounds} rounds, each in another order, after a warm-up that doesn't count. Shown is the median, with the least and the most where they differ; ratios are taken within a round. After every run the service's ledger is compared with the list: each customer exactly once, or the run counts as failed.

- **messages/s**: by the node's own execution time, as n8n's run data has it. The reading of the parameters is included.
- **longest pause**: the longest time that a health check of n8n waited for its answer while the node ran. The next one follows 20 ms after the one before.
- **CPU per message**: of n8n's own process, while the node ran; the health checks are part of it, the same for everyone.
- **peak above an idle n8n**: resident memory of n8n's process while the node ran, above that of the same process before the execution began. Each run has a fresh n8n.
- **in flight, connections**: as the service counted them.

## All measurements

${fullTable(results)}
`;

function section(results: Results) {
	const about = ask(results);
	const scenario = headline(results).find(({ latency }) => latency === 50);
	const [http, declarative] = (['http', 'declarative'] as const).map((rival) =>
		number(scenario && about.faster(scenario, rival)?.median, 1),
	);
	return `${NOTE}

![Messages per second](docs/images/performance.svg)

With a service that answers after 50 ms it sends ${number(scenario && about.of(scenario, 'ours', 'perSecond')?.median)} messages per second, ${http} times as fast as the HTTP Request node and ${declarative} times as fast as a declarative node. [All numbers, and how they are measured](docs/performance.md).`;
}

/** Writes the page, its chart and the section of the README. */
export async function writeReport(results: Results) {
	const docs = path.join(paths.root, 'docs');
	const readme = path.join(paths.root, 'README.md');
	const config = await prettier.resolveConfig(readme);
	const tidy = (text: string) => prettier.format(text, { ...config, parser: 'markdown' });
	fs.writeFileSync(path.join(docs, 'images/performance.svg'), chart(results));
	fs.writeFileSync(path.join(docs, 'performance.md'), await tidy(page(results)));
	const before = fs.readFileSync(readme, 'utf8');
	const after = before.replace(
		MARKS,
		(_, open: string, close: string) => `${open}\n\n${section(results)}\n\n${close}`,
	);
	fs.writeFileSync(readme, await tidy(after));
	log('  Written: docs/performance.md, docs/images/performance.svg, README.md');
}
