/** Looks at n8n from outside while a node runs: does it still answer, and what does it take from the machine? */
import fs from 'node:fs';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { max } from 'simple-statistics';

const EVERY_MS = 20;
const TIMEOUT_MS = 120_000;
/** Clock ticks are 10 ms on every Linux that Node runs on. */
const TICK_MS = 10;
const FIELDS_BEFORE_UTIME = 11;

/** Of a stretch of time. What only Linux tells is missing elsewhere. */
export interface Readings {
	/** The longest time that a health check waited for its answer. */
	pauseMs: number;
	/** Processor time of n8n's own process. */
	cpuMs?: number;
	/** Resident memory at its peak, in MB, above what n8n had when the watch began. */
	memoryMb?: number;
}

interface Sample {
	at: number;
	cpu: number;
	memory: number;
}

/** @returns ends the watch, and then reads any window of it (ms since the epoch) */
export function watch({ url, pid }: { url: string; pid?: number }) {
	const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
	const now = () => performance.timeOrigin + performance.now();
	const samples: Sample[] = [];
	const checks: Array<{ from: number; to: number }> = [];
	let watching = true;

	const over = (async () => {
		while (watching) {
			const from = now();
			samples.push({ at: from, ...usageOf(pid) });
			await healthCheck(url, agent);
			checks.push({ from, to: now() });
			// One that was late is followed at once, so that no pause goes unnoticed.
			await sleep(Math.max(0, from + EVERY_MS - now()));
		}
		samples.push({ at: now(), ...usageOf(pid) });
		agent.destroy();
	})();

	return async () => {
		watching = false;
		await over;
		return ({ from, to }: { from: number; to: number }): Readings => {
			const waits = checks
				.filter((check) => check.to > from && check.from < to)
				.map((check) => Math.min(check.to, to) - Math.max(check.from, from));
			const inside = samples.filter(({ at }) => at >= from - EVERY_MS && at <= to + EVERY_MS);
			const pauseMs = max([0, ...waits]);
			if (!samples[0].memory || inside.length === 0) return { pauseMs };
			return {
				pauseMs,
				cpuMs: inside.at(-1)!.cpu - inside[0].cpu,
				memoryMb: max(inside.map(({ memory }) => memory)) - samples[0].memory,
			};
		};
	};
}

/** What Linux says about a process: milliseconds of processor time so far, and MB of memory now. */
function usageOf(pid?: number) {
	try {
		const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The name in parentheses may hold spaces.
		const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		const [user, system] = fields.slice(FIELDS_BEFORE_UTIME).map(Number);
		const [, kilobytes] =
			/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
		return { cpu: (user + system) * TICK_MS, memory: Number(kilobytes) / 1024 };
	} catch {
		return { cpu: 0, memory: 0 };
	}
}

/** An answer of whatever kind, or the end of the connection. */
const healthCheck = (url: string, agent: http.Agent) =>
	new Promise<void>((resolve) => {
		const request = http.get(`${url}/healthz`, { agent, timeout: TIMEOUT_MS }, (response) => {
			response.resume().once('end', resolve);
		});
		request.once('timeout', () => request.destroy());
		request.once('error', () => resolve());
	});
