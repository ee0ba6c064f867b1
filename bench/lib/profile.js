/** Where the time of a node goes: n8n's own process under V8's profiler, cut to the stretch in which the node ran. */
const fs = require('node:fs');
const path = require('node:path');
const { poll } = require('../../scripts/lib/child.cts');
const { log, step } = require('../../scripts/lib/log.cts');
const { openHouse } = require('./house');
const { FOLDER } = require('./keep');
const { label, measure } = require('./measure');
const { selfTimes } = require('./self-times');

const WARM_UP_ITEMS = 100;
const PROFILER = path.join(__dirname, 'profiler.js');
const MOST_LINES = 40;
const LEAST_US = 1;
const WORKS = ['text', 'templateFields', 'templateJson', 'dry'];

/**
 * @param {{ only?: string[], sizes?: number[], latencies?: number[] }} flags
 */
async function profile({ only = [], sizes = [1000], latencies = [0] }) {
	const chosen = only.filter((name) => !WORKS.includes(name));
	const contestants = chosen.length ? chosen : ['ours', 'floor'];
	const kind = only.find((name) => WORKS.includes(name)) ?? 'text';
	const each = {
		work: kind === 'dry' ? 'text' : kind,
		size: sizes[0],
		latency: latencies[0],
		special: kind === 'dry' ? 'dry' : undefined,
	};
	const profiles = [];
	for (const contestant of contestants) {
		profiles.push(
			await step(`Profiling ${label(contestant)}, ${each.size} items`, () =>
				profileOne(contestant, each),
			),
		);
	}
	print(
		'caller',
		'All time by the innermost function of the node that was waiting for it',
		profiles,
		each,
	);
	print('package', 'Self time by package', profiles, each);
	print('function', 'Self time by function', profiles, each);
	for (const { contestant, file } of profiles) log(`  ${label(contestant)}: ${file}`);
}

async function profileOne(contestant, each) {
	const file = path.join(FOLDER, `${contestant}.cpuprofile`);
	fs.mkdirSync(FOLDER, { recursive: true });
	fs.rmSync(file, { force: true });
	const house = await openHouse({
		env: { NODE_OPTIONS: `--require ${JSON.stringify(PROFILER)}`, BENCH_PROFILE: file },
	});
	try {
		const client = await house.client();
		await measure(house, client, { ...each, size: WARM_UP_ITEMS }, contestant);
		process.kill(house.n8n.pid, 'SIGUSR2');
		const run = await measure(house, client, each, contestant);
		process.kill(house.n8n.pid, 'SIGUSR2');
		if (run.problem) throw new Error(`${label(contestant)}: ${run.problem}`);
		await poll(() => fs.existsSync(file), { what: 'the profile' });
		const content = JSON.parse(fs.readFileSync(file, 'utf8'));
		return {
			contestant,
			file: path.relative('', file),
			ms: run.ms,
			...selfTimes(content, { from: run.from, to: run.from + run.ms }),
		};
	} finally {
		await house.stop();
	}
}

/** Microseconds per message, side by side. */
function print(key, title, profiles, { size }) {
	const names = new Map();
	for (const { [key]: table } of profiles) {
		for (const [name, ms] of table) names.set(name, Math.max(ms, names.get(name) ?? 0));
	}
	const sorted = [...names]
		.filter(([, ms]) => (ms * 1000) / size >= LEAST_US)
		.sort((left, right) => right[1] - left[1])
		.slice(0, MOST_LINES);
	const cells = (values) => values.map((value) => value.padStart(20)).join('');
	const inUs = (ms = 0) => Math.round((ms * 1000) / size).toLocaleString('en');
	log(`\n${title}, in µs per message`);
	log(cells([...profiles.map(({ contestant }) => label(contestant).slice(0, 19)), '']));
	const whole = profiles.map(({ ms }) => inUs(ms));
	log(`${cells(whole)}  the node's execution time, under the profiler`);
	for (const [name] of sorted) {
		log(`${cells(profiles.map((each) => inUs(each[key].get(name))))}  ${name}`);
	}
}

module.exports = { profile };
