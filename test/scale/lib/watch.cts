/** Looks at something again and again while work continues. */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export function watch<T>(look: () => T | Promise<T>, everyMs: number) {
	const seen: T[] = [];
	let over = false;
	const done = (async () => {
		while (!over) {
			seen.push(await look());
			await sleep(everyMs);
		}
	})();
	return {
		/** @returns what was seen */
		async end() {
			over = true;
			await done;
			return seen;
		},
	};
}

/** Megabytes of memory that a process holds now. */
export function memoryOf(pid?: number): number {
	const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
	const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(status)!;
	return Math.round(Number(kilobytes) / 1024);
}

/** Milliseconds until a process of n8n answers a question that needs no work. */
export async function answerTime(url: string): Promise<number> {
	const asked = performance.now();
	await (await fetch(`${url}/healthz`)).arrayBuffer();
	return performance.now() - asked;
}
