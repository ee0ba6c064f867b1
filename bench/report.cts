/** What the terminal shows at the end, the page, and the section of the README. */
import fs from 'node:fs';
import path from 'node:path';
import { markdownTable } from 'markdown-table';
import prettier from 'prettier';
import { log } from '../scripts/lib/log.cts';
import * as paths from '../scripts/lib/paths.cts';
import { barChart, type Bar } from './chart.cts';
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
	const inRace = results.scenarios.filter(
		({ kind, rivals }) => kind !== 'safeguards' && rivals.includes('floor'),
	);
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
		['', 'messages/s', 'longest pause, ms', 'CPU per message, ms', 'in flight'],
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

/** What a user with a real service gets, by latency. */
const overHttps = ({ scenarios }: Results) =>
	scenarios.filter(({ kind, inFlight }) => kind === 'tls' && inFlight === 100);

/** What it is compared with: what people use instead. */
const SHOWN: Partial<Record<RivalName, Bar['kind']>> = { ours: 'ours', http: 'other' };

function chart(results: Results) {
	const about = ask(results);
	return barChart({
		title: 'Messages per second over HTTPS',
		subtitle: '1,000 text messages with two mapped fields: longer is better',
		legend: 'Thin lines: from the least to the most.',
		foot: inShort(results),
		groups: overHttps(results).map((scenario) => ({
			title: `The service responds after ${scenario.latency} ms`,
			bars: scenario.rivals.flatMap((rival) => {
				const values = about.of(scenario, rival, 'perSecond');
				const kind = SHOWN[rival];
				const { label } = RIVALS[rival];
				return values && kind ? { label, kind, text: number(values.median), ...values } : [];
			}),
		})),
	});
}

const inShort = ({ setting: { date, cpu, cores, memoryGb, node, n8n } }: Results) =>
	`${date}, n8n ${n8n}, Node ${node}, ${cpu}, ${cores} cores, ${memoryGb} GB`;

const page = (results: Results) => `${NOTE}

# Performance

For everyone who wants to know how long a list takes, and how this node compares with other ways to send it. ${inShort(results)}; ${results.setting.rounds} rounds in ${Math.round(results.setting.minutes)} minutes. To repeat all of this, run \`npm run bench\` on a quiet machine. [How it is measured](README.md).

![Messages per second](../docs/images/performance.svg)

${speedTable(results)}

Each row is a list of text messages with two mapped fields and how long the service takes to respond. The _limit_ is arithmetic: messages in flight divided by that time.

The HTTP Request node and a declarative node don't bound the messages in flight, check the list first, or know on a retry what was sent. The _bare floor_ is a minimal node: it posts a constant text with n8n's own helper, and checks and remembers nothing. Where this node is faster, it's because it doesn't evaluate fields that are plain paths, and reads responses without n8n's own parsing. Over HTTPS everything is slower: n8n opens a new connection for each request. In a fresh n8n, it's the first list after a start; the others come after a warm-up.

## Long lists

${memoryTable(results)}

## Everything

Shown is the median, with the least and the most where they differ.

${fullTable(results)}

${Object.values(RIVALS)
	.map(({ label, what }) => `- **${label}**: ${what}.`)
	.join('\n')}
`;

/** One number: what a user with a real service gets. */
function section(results: Results) {
	const about = ask(results);
	const scenario = overHttps(results).find(({ latency }) => latency === 50);
	const perSecond = scenario && about.of(scenario, 'ours', 'perSecond')?.median;
	const toHttp = scenario && about.faster(scenario, 'http')?.median;
	return `Over HTTPS, with a service that responds after 50 ms, it sends ${number(perSecond)} messages per second: ${number(toHttp, 1)} × the HTTP Request node. [All numbers](bench/RESULTS.md).`;
}

/** Writes the page, its chart and the section of the README. */
export async function writeReport(results: Results) {
	const readme = path.join(paths.root, 'README.md');
	const config = await prettier.resolveConfig(readme);
	const tidy = (text: string) => prettier.format(text, { ...config, parser: 'markdown' });
	fs.writeFileSync(path.join(paths.root, 'docs/images/performance.svg'), chart(results));
	fs.writeFileSync(path.join(paths.root, 'bench/RESULTS.md'), await tidy(page(results)));
	const before = fs.readFileSync(readme, 'utf8');
	const after = before.replace(
		MARKS,
		(_, open: string, close: string) => `${open}\n\n${section(results)}\n\n${close}`,
	);
	fs.writeFileSync(readme, await tidy(after));
	log('  Written: docs/images/performance.svg, bench/RESULTS.md, README.md');
}
