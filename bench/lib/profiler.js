/**
 * Loaded into n8n's process before n8n itself (NODE_OPTIONS reaches helpers too, and those take no notice): the first
 * SIGUSR2 starts V8's profiler, the second writes the profile.
 */
const fs = require('node:fs');
const path = require('node:path');

const INTERVAL_US = 250;
const { BENCH_PROFILE: file } = process.env;

function listen() {
	const { Session } = require('node:inspector');
	const session = new Session();
	session.connect();
	session.post('Profiler.enable');
	session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
	let running = false;
	process.on('SIGUSR2', () => {
		running = !running;
		if (running) return session.post('Profiler.start');
		session.post('Profiler.stop', (error, result) => {
			// Renamed in one step, so that nobody reads half a file.
			fs.writeFileSync(`${file}.part`, JSON.stringify(result?.profile ?? { error: `${error}` }));
			fs.renameSync(`${file}.part`, file);
		});
	});
}

if (file && path.basename(process.argv[1] ?? '') === 'n8n') listen();
