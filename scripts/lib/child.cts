/**
 * Child processes that can be watched, waited for and ended together with everything they started.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SupervisorMessage } from './supervisor.cts';

const SUPERVISOR = path.join(__dirname, 'supervisor.cts');
const KEPT_OUTPUT = 4_000_000;

export interface RunOptions {
	cwd?: string;
	env?: NodeJS.ProcessEnv;
	onOutput?: (text: string) => void;
	timeoutMs?: number;
}

type Result = NonNullable<SupervisorMessage['exit']> & { error?: string };

interface Watched {
	output(): string;
	running(): boolean;
}

/** Children that have not ended yet. */
const running = new Set<{ stop(): Promise<Result> }>();

/**
 * Starts a command in a process group of its own, under a supervisor that ends it when this
 * process is gone.
 */
export async function start(
	command: string,
	args: string[],
	{ cwd, env = process.env, onOutput }: RunOptions = {},
) {
	const typescript = ['--require', require.resolve('tsx/cjs')];
	const supervisor = spawn(process.execPath, [...typescript, SUPERVISOR, command, ...args], {
		cwd,
		env,
		detached: true,
		stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
	});

	let output = '';
	for (const stream of [supervisor.stdout, supervisor.stderr]) {
		stream?.setEncoding('utf8').on('data', (text: string) => {
			output = (output + text).slice(-KEPT_OUTPUT);
			onOutput?.(text);
		});
	}

	let pid: number | undefined;
	let result: Result | undefined;
	let started = () => {};
	const hasStarted = new Promise<void>((resolve) => (started = resolve));
	const exited = new Promise<Result>((resolve) => {
		supervisor.on('message', (message: SupervisorMessage) => {
			if (message.exit) result = message.exit;
			if (message.error) result = { code: 127, signal: null, error: message.error };
			pid ??= message.pid;
			started();
		});
		supervisor.once('close', (code, signal) => resolve((result ??= { code, signal })));
	});

	const child = {
		/** Of the command itself, not of its supervisor; undefined if it couldn't start. */
		get pid() {
			return pid;
		},
		/** The last 4 MB of what was printed. */
		output: () => output,
		running: () => result === undefined,
		exited,
		/** Asks politely, then insists; resolves when the whole process group is gone. */
		async stop(graceMs = 10_000) {
			if (supervisor.connected) supervisor.send({ stop: graceMs }, () => {});
			return await exited;
		},
		/** Signals the command itself, as a crash or the kernel would. */
		kill(signal: NodeJS.Signals) {
			if (pid !== undefined) process.kill(pid, signal);
		},
		/** Resolves with the first match of the pattern in the output. */
		waitForOutput: async (pattern: RegExp, timeoutMs?: number): Promise<RegExpMatchArray> =>
			await poll(() => output.match(pattern), { child, timeoutMs, what: `${pattern}` }),
	};
	running.add(child);
	void exited.then(() => running.delete(child));
	await Promise.race([hasStarted, exited]);
	return child;
}

/** Ends whatever still runs. */
export async function stopAll(): Promise<void> {
	await Promise.all([...running].map((child) => child.stop()));
}

/** Runs a command to its end. `problem` says why it didn't end well. */
export async function finish(
	command: string,
	args: string[],
	{ timeoutMs = 15 * 60_000, ...options }: RunOptions = {},
) {
	const child = await start(command, args, options);
	let timedOut = false;
	const timer = setTimeout(() => {
		timedOut = true;
		void child.stop();
	}, timeoutMs);
	const { code, signal, error } = await child.exited;
	clearTimeout(timer);
	const late = timedOut && `took longer than ${timeoutMs / 60_000} min`;
	const bad = code === 0 ? undefined : (error ?? `ended with ${signal ?? code}`);
	return { child, problem: late || bad };
}

/** Runs a command to its end; rejects with the last lines of the output if it doesn't end well. */
export async function run(command: string, args: string[], options?: RunOptions): Promise<string> {
	const { child, problem } = await finish(command, args, options);
	if (!problem) return child.output();
	throw new Error(`${path.basename(command)} ${args.join(' ')}: ${problem}\n${lastLines(child)}`);
}

interface PollOptions {
	/** Polling gives up when it has ended. */
	child?: Watched;
	timeoutMs?: number;
	everyMs?: number;
	/** What is waited for, in words. */
	what: string;
}

/** Asks again and again until the probe gives something truthy. */
export async function poll<T>(
	probe: () => T | Promise<T>,
	{ child, timeoutMs = 180_000, everyMs = 100, what }: PollOptions,
): Promise<Exclude<T, null | undefined | false | 0 | ''>> {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		const found = await probe();
		if (found) return found as Exclude<T, null | undefined | false | 0 | ''>;
		if (child && !child.running()) throw new Error(`Ended before ${what}\n${lastLines(child)}`);
		if (Date.now() > deadline) {
			const seconds = Math.round(timeoutMs / 1000);
			throw new Error(`Waited ${seconds} s in vain for ${what}\n${child ? lastLines(child) : ''}`);
		}
		await sleep(everyMs);
	}
}

/** The end of what a child printed: where the reason of a failure is. */
const lastLines = (child: Watched) =>
	child
		.output()
		.split('\n')
		.filter((line) => line.trim())
		.slice(-40)
		.map((line) => `    ${line}`)
		.join('\n');
