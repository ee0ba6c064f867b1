/** Child processes that can be watched, waited for and ended together with everything they started. */
const { spawn } = require('node:child_process');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const GUARD = path.join(__dirname, 'guard.js');
const KEPT_OUTPUT = 4_000_000;

/** Children that have not ended yet. */
const running = new Set();

/**
 * Starts a command in a process group of its own, under a guard that ends it when this process is gone.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, onOutput?: (text: string) => void }} [options]
 */
async function start(command, args, { cwd, env = process.env, onOutput } = {}) {
	const guard = spawn(process.execPath, [GUARD, command, ...args], {
		cwd,
		env,
		detached: true,
		stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
	});

	let output = '';
	for (const stream of [guard.stdout, guard.stderr]) {
		stream.setEncoding('utf8').on('data', (text) => {
			output = (output + text).slice(-KEPT_OUTPUT);
			onOutput?.(text);
		});
	}

	let result;
	const exited = new Promise((resolve) => {
		guard.on('message', (message) => {
			if (message.exit) result = message.exit;
			if (message.error) result = { code: 127, signal: null, error: message.error };
		});
		guard.once('close', (code, signal) => resolve((result ??= { code, signal })));
	});

	const child = {
		/** @type {number | undefined} of the command itself, not of its guard */
		pid: undefined,
		/** Everything printed so far (the last 4 MB of it). */
		output: () => output,
		running: () => result === undefined,
		/** @type {Promise<{ code: number | null, signal: string | null, error?: string }>} */
		exited,
		/** Asks politely, then insists; resolves when the whole process group is gone. */
		async stop(graceMs = 10_000) {
			if (guard.connected) guard.send({ stop: graceMs }, () => {});
			return await exited;
		},
		/** Signals the command itself, as a crash or the kernel would. */
		kill: (signal = 'SIGKILL') => process.kill(child.pid, signal),
		/** Resolves with the first match of the pattern in the output. */
		async waitForOutput(pattern, timeoutMs) {
			return await poll(() => output.match(pattern), { child, timeoutMs, what: `${pattern}` });
		},
	};
	running.add(child);
	exited.then(() => running.delete(child));
	child.pid = await new Promise((resolve) => {
		guard.on('message', (message) => message.pid && resolve(message.pid));
		exited.then(() => resolve(undefined));
	});
	return child;
}

/** Ends whatever still runs. */
async function stopAll() {
	await Promise.all([...running].map((child) => child.stop()));
}

/**
 * Runs a command to its end.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {Parameters<typeof start>[2] & { timeoutMs?: number }} [options]
 * @returns {Promise<{ child: Awaited<ReturnType<typeof start>>, problem?: string }>}
 */
async function finish(command, args, { timeoutMs = 15 * 60_000, ...options } = {}) {
	const child = await start(command, args, options);
	let timedOut = false;
	const timer = setTimeout(() => {
		timedOut = true;
		void child.stop();
	}, timeoutMs);
	const { code, signal, error } = await child.exited;
	clearTimeout(timer);
	if (timedOut) return { child, problem: `took longer than ${timeoutMs / 60_000} min` };
	return code === 0 ? { child } : { child, problem: error ?? `ended with ${signal ?? code}` };
}

/**
 * Like `finish`, but rejects with the last lines of the output when the command did not end well.
 *
 * @param {Parameters<typeof finish>} call
 * @returns {Promise<string>} what it printed
 */
async function run(...call) {
	const { child, problem } = await finish(...call);
	if (!problem) return child.output();
	const [command, args] = call;
	throw new Error(`${path.basename(command)} ${args.join(' ')}: ${problem}\n${lastLines(child)}`);
}

/**
 * Asks again and again until the probe gives something truthy; gives up at once when the child has ended.
 *
 * @template T
 * @param {() => T | Promise<T>} probe
 * @param {{ child?: { running(): boolean, output(): string }, timeoutMs?: number, everyMs?: number, what: string }} options
 * @returns {Promise<NonNullable<T>>}
 */
async function poll(probe, { child, timeoutMs = 60_000, everyMs = 100, what }) {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		const found = await probe();
		if (found) return found;
		if (child && !child.running()) {
			throw new Error(`Ended before ${what}\n${lastLines(child)}`);
		}
		if (Date.now() > deadline) {
			const seconds = Math.round(timeoutMs / 1000);
			throw new Error(`Waited ${seconds} s in vain for ${what}\n${child ? lastLines(child) : ''}`);
		}
		await sleep(everyMs);
	}
}

/** The end of what a child printed: where the reason of a failure stands. */
const lastLines = (child, count = 40) =>
	child
		.output()
		.split('\n')
		.filter((line) => line.trim())
		.slice(-count)
		.map((line) => `    ${line}`)
		.join('\n');

module.exports = { start, finish, run, poll, stopAll };
