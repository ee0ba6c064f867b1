/** What the scripts print: short lines that read well in a terminal and in a log file. */
export const log = (text = '') => console.log(text);

/** Runs a step that takes a while: its name first, a sign of life now and then, the time at the end. */
export async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
	const started = Date.now();
	const elapsed = () => `${((Date.now() - started) / 1000).toFixed(1)} s`;
	log(`  ${name} …`);
	const alive = setInterval(() => log(`    still at it, ${elapsed()} so far`), 20_000);
	try {
		const result = await work();
		log(`    done in ${elapsed()}`);
		return result;
	} finally {
		clearInterval(alive);
	}
}
