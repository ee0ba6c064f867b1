/** What the scripts print: short lines that read well in a terminal and in a log file. */

const CLEAR_LINE = '\r\x1b[2K';

export function duration(ms: number): string {
	const seconds = ms / 1000;
	if (seconds < 10) return `${seconds.toFixed(1)} s`;
	if (seconds < 60) return `${Math.round(seconds)} s`;
	const whole = Math.round(seconds);
	return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** What a terminal shows in its last line until something else is known. */
let status = '';

export function log(text = ''): void {
	process.stdout.write(`${status && CLEAR_LINE}${text}\n${status}`);
}

/**
 * Shows what is under way: in a terminal in one line that is written again, in a log file now and then in a new one.
 *
 * @param options.everyMs in a log file
 * @returns ends it
 */
export function showStatus(describe: () => string, { everyMs = 20_000 } = {}): () => void {
	const inTerminal = process.stdout.isTTY;
	const show = () => {
		if (!inTerminal) return log(describe());
		status = describe().slice(0, (process.stdout.columns ?? 80) - 1);
		process.stdout.write(`${CLEAR_LINE}${status}`);
	};
	const timer = setInterval(show, inTerminal ? 250 : everyMs);
	if (inTerminal) show();
	return () => {
		clearInterval(timer);
		if (status) process.stdout.write(CLEAR_LINE);
		status = '';
	};
}

/**
 * Runs a step that takes a while: its name first, a sign of life now and then, the time at the end.
 */
export async function step<T>(
	name: string,
	work: () => Promise<T>,
	{ everyMs = 20_000 } = {},
): Promise<T> {
	const started = Date.now();
	const elapsed = () => duration(Date.now() - started);
	log(`  ${name} …`);
	const alive = setInterval(() => log(`    still at it, ${elapsed()} so far`), everyMs);
	try {
		const result = await work();
		log(`    done in ${elapsed()}`);
		return result;
	} finally {
		clearInterval(alive);
	}
}
