/**
 * Runs one command and never outlives the script that asked for it: it leads a process group of its
 * own, and ends it when its parent asks, or is gone in whatever way (even SIGKILL closes the
 * channel between them).
 */
import { spawn } from 'node:child_process';

/** What it tells its parent. */
export interface SupervisorMessage {
	pid?: number;
	error?: string;
	exit?: { code: number | null; signal: NodeJS.Signals | null };
}

const DEFAULT_GRACE_MS = 10_000;
const [command, ...args] = process.argv.slice(2);

// The supervisor's own channel must not reach the command: it would hold it open.
const { NODE_CHANNEL_FD: _, ...env } = process.env;
const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });

// Passed on by hand: with no one left to read, the command must still be able to end in good order.
for (const [from, to] of [
	[child.stdout, process.stdout],
	[child.stderr, process.stderr],
] as const) {
	to.on('error', () => {});
	from.on('data', (data: Buffer) => to.write(data));
}

let stopping = false;
const stop = (graceMs: number) => {
	if (stopping) return;
	stopping = true;
	child.kill('SIGTERM');
	setTimeout(endGroup, graceMs);
};

/** Ends the supervisor too: nothing is left to do once the command is over. */
const endGroup = () => process.kill(-process.pid, 'SIGKILL');

const report = (message: SupervisorMessage) =>
	process.send && process.connected ? process.send(message, () => endGroup()) : endGroup();

child.once('spawn', () => process.connected && process.send?.({ pid: child.pid }));
child.once('error', (error) => report({ error: error.message }));
child.once('close', (code, signal) => report({ exit: { code, signal } }));
process.on('message', ({ stop: graceMs }: { stop: number }) => stop(graceMs));
process.once('disconnect', () => stop(DEFAULT_GRACE_MS));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
	process.on(signal, () => stop(DEFAULT_GRACE_MS));
}
