/** Where the time of a node goes: n8n's own process under V8's profiler, cut to the stretch in which the node ran. */
import fs from 'node:fs';
import path from 'node:path';
import type { Profiler } from 'node:inspector';
import { markdownTable } from 'markdown-table';
import { log, step } from '../scripts/lib/log.cts';
import * as paths from '../scripts/lib/paths.cts';
import { openEnvironment } from './environment.cts';
import { measure } from './measure.cts';
import { RIVALS, type RivalName } from './rivals.cts';
import { titleOf, type Scenario } from './scenarios.cts';

const FOLDER = path.join(paths.tmp, 'bench');
const WARM_UP_ITEMS = 100;
const INTERVAL_US = 250;
const MOST_LINES = 40;
/** Code of a node that is measured. */
const OF_A_NODE = /node_modules\/n8n-nodes-(outbound-messaging|bench)\/|HttpRequest\/V3\//;

type Frame = Profiler.ProfileNode['callFrame'];
type Times = Map<string, number>;

/** Prints microseconds per message, side by side. The profiles stay in .tmp/bench for Chromium's developer tools. */
export async function profile(scenario: Scenario, rivals: RivalName[]) {
	const profiles: Array<Awaited<ReturnType<typeof profileOne>>> = [];
	for (const rival of rivals) {
		const name = `Profiling ${RIVALS[rival].label}, ${titleOf(scenario)}`;
		profiles.push(await step(name, () => profileOne(rival, scenario)));
	}
	const perMessage = (ms = 0) => Math.round((ms * 1000) / scenario.size).toLocaleString('en');
	const print = (title: string, key: 'byCaller' | 'byFunction') => {
		const names = [...new Set(profiles.flatMap((each) => [...each[key].keys()]))];
		const most = (name: string) => Math.max(...profiles.map((each) => each[key].get(name) ?? 0));
		const rows = names
			.sort((left, right) => most(right) - most(left))
			.slice(0, MOST_LINES)
			.map((name) => [...profiles.map((each) => perMessage(each[key].get(name))), name]);
		const header = [...rivals.map((rival) => RIVALS[rival].label), `${title}, µs per message`];
		const whole = [...profiles.map(({ ms }) => perMessage(ms)), 'the whole run of the node'];
		const align = header.map((_, at) => (at < rivals.length ? 'r' : 'l'));
		log(`\n${markdownTable([header, whole, ...rows], { align })}`);
	};
	print('all time, by the innermost function of the node that waits for it', 'byCaller');
	print('self time, by function', 'byFunction');
	for (const { file } of profiles) log(`  ${file}`);
}

async function profileOne(rival: RivalName, scenario: Scenario) {
	const folder = path.join(FOLDER, rival);
	fs.rmSync(folder, { recursive: true, force: true });
	const environment = await openEnvironment({
		nodeArgs: ['--cpu-prof', `--cpu-prof-interval=${INTERVAL_US}`, `--cpu-prof-dir=${folder}`],
	});
	const run = await (async () => {
		try {
			const client = await environment.signIn();
			await measure(environment, client, { ...scenario, size: WARM_UP_ITEMS }, rival);
			return await measure(environment, client, scenario, rival);
		} finally {
			await environment.stop();
		}
	})();
	const [name] = fs.readdirSync(folder);
	if (!name) throw new Error(`n8n has left no profile in ${folder}`);
	const file = path.join(folder, name);
	const content = JSON.parse(fs.readFileSync(file, 'utf8')) as Profiler.Profile;
	return { file, ms: run.ms, ...timesOf(content, run.from, run.from + run.ms) };
}

/** Milliseconds between two moments (ms since the epoch). */
function timesOf(content: Profiler.Profile, from: number, to: number) {
	const { nodes, samples = [], timeDeltas = [], startTime } = content;
	// V8 counts on the monotonic clock that this process has as well.
	const epochUs = Date.now() * 1000 - Number(process.hrtime.bigint() / 1000n);
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const parents = new Map(
		nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
	);
	const callerOf = (id: number): string => {
		const { callFrame } = byId.get(id)!;
		if (callFrame.functionName === '(idle)') return '(idle)';
		if (OF_A_NODE.test(callFrame.url)) return nameOf(callFrame);
		const parent = parents.get(id);
		return parent === undefined ? '(callbacks of n8n and Node)' : callerOf(parent);
	};
	const byFunction: Times = new Map();
	const byCaller: Times = new Map();
	const add = (times: Times, name: string, ms: number) =>
		times.set(name, (times.get(name) ?? 0) + ms);
	let now = startTime + epochUs;
	samples.forEach((id, at) => {
		now += timeDeltas[at];
		if (now < from * 1000 || now > to * 1000) return;
		// A sample counts for the time until the next one.
		const ms = (timeDeltas[at + 1] ?? 0) / 1000;
		add(byFunction, nameOf(byId.get(id)!.callFrame), ms);
		add(byCaller, callerOf(id), ms);
	});
	return { byFunction, byCaller };
}

function nameOf({ functionName, url, lineNumber }: Frame) {
	const [, library] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
	const place = url.startsWith('node:') ? url : [library, path.basename(url)].join(' ').trim();
	return `${functionName || '(anonymous)'}  ${place && `${place}:${lineNumber + 1}`}`.trim();
}
