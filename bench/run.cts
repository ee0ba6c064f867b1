/** `npm run bench`: the node against what people use instead, in one n8n, in one run. See README.md. */
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { stopAll } from '../scripts/lib/child.cts';
import { onEnd } from '../scripts/lib/lifetime.cts';
import { log } from '../scripts/lib/log.cts';
import * as paths from '../scripts/lib/paths.cts';
import { ensureN8n } from '../scripts/lib/setup.cts';
import { profile } from './profile.cts';
import { printSummary, writeReport } from './report.cts';
import { race, type Results } from './results.cts';
import { RIVALS, type RivalName } from './rivals.cts';
import { choose, KINDS } from './scenarios.cts';

const RESULTS = path.join(paths.tmp, 'bench/results.json');
const ROUNDS = 5;
const NAMES = [...Object.keys(RIVALS), ...KINDS];

const HELP = `Usage: npm run bench -- [options]

  --only <names>       separated by commas, rivals (${Object.keys(RIVALS).join(', ')})
                       and kinds of work (${KINDS.join(', ')})
  --sizes <numbers>    items, e.g. 100,1000
  --latencies <ms>     of the service, e.g. 0,50,200
  --rounds <number>    how often everything is measured; ${ROUNDS}
  --no-write           don't change docs and README
  --report             measure nothing, and write the last results once more
  --profile            where the time of "ours" and "floor" (or of --only) goes, function by function
  --help               this text

A whole run (no --only, --sizes, --latencies) writes bench/RESULTS.md, its chart, and the marked section of
README.md. The exit code isn't 0 if a goal failed, or a message didn't arrive exactly once.`;

function readFlags() {
	const { values } = parseArgs({
		options: {
			only: { type: 'string' },
			sizes: { type: 'string' },
			latencies: { type: 'string' },
			rounds: { type: 'string', default: String(ROUNDS) },
			'no-write': { type: 'boolean', default: false },
			report: { type: 'boolean', default: false },
			profile: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	const only = list(values.only);
	const unknown = only?.filter((name) => !NAMES.includes(name)) ?? [];
	if (unknown.length) throw new Error(`--only doesn't know "${unknown.join('", "')}"\n\n${HELP}`);
	const sizes = numbers('--sizes', values.sizes, 1);
	const latencies = numbers('--latencies', values.latencies, 0);
	const [rounds] = numbers('--rounds', values.rounds, 1) ?? [];
	const isWhole = !only && !sizes && !latencies;
	return { ...values, only, sizes, latencies, rounds, write: isWhole && !values['no-write'] };
}

const list = (text?: string) => text?.split(',').filter(Boolean);

const numbers = (flag: string, text: string | undefined, least: number) =>
	list(text)?.map((part) => {
		const number = Number(part);
		if (Number.isInteger(number) && number >= least) return number;
		throw new Error(`${flag} wants whole numbers of ${least} or more, not "${part}"`);
	});

async function main() {
	const flags = readFlags();
	if (flags.help) return log(HELP);
	const scenarios = choose(flags);
	if (scenarios.length === 0) throw new Error('Nothing is left to measure with these flags');
	await ensureN8n();
	if (flags.profile) {
		const named = (Object.keys(RIVALS) as RivalName[]).filter((id) => flags.only?.includes(id));
		return await profile(scenarios[0], named.length ? named : ['ours', 'floor']);
	}

	const results = flags.report
		? (JSON.parse(fs.readFileSync(RESULTS, 'utf8')) as Results)
		: await race(scenarios, flags.rounds);
	fs.mkdirSync(path.dirname(RESULTS), { recursive: true });
	fs.writeFileSync(RESULTS, JSON.stringify(results, null, '\t'));
	if (!printSummary(results)) process.exitCode = 1;
	if (flags.write) await writeReport(results);
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
