/** `npm run bench`: the node against what people use instead, in one n8n, in one run. See README.md. */
const { stopAll } = require('../scripts/lib/child.cts');
const { onEnd } = require('../scripts/lib/lifetime.cts');
const { log } = require('../scripts/lib/log.cts');
const { ensureN8n } = require('../scripts/lib/setup.cts');
const { HELP, readFlags } = require('./lib/flags');

async function main() {
	const flags = readFlags(process.argv.slice(2));
	if (flags.help) return log(HELP);
	await ensureN8n();

	// Only now: these need what was just installed.
	const { cases } = require('./lib/matrix');
	const { race } = require('./lib/race');
	const { profile } = require('./lib/profile');
	const { keep, kept } = require('./lib/keep');
	const { writeReport } = require('./lib/report');
	const { printSummary } = require('./lib/summary');
	if (flags.profile) return await profile(flags);

	const chosen = cases(flags);
	if (chosen.length === 0) throw new Error('Nothing is left to measure with these flags');
	const results = flags.report ? kept() : keep(await race(chosen, flags.rounds), flags);
	printSummary(results);
	for (const file of await writeReport(results, flags)) log(`  written: ${file}`);
	// A slow run is a result; a customer without a message, or with two, is a failure.
	if (results.runs.some(({ problem }) => problem)) process.exitCode = 1;
}

onEnd(async () => {
	await stopAll();
	process.exit(130);
});

main().catch(async (error) => {
	log(`\n${error.message}`);
	await stopAll();
	process.exitCode = 1;
});
