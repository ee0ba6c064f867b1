/** How a script ends, and all that it started with it. */
import { log, onEnd } from '../start.js';
import { stopAll } from './child.cts';

/**
 * @param work gives false if it didn't end well. What it started may stay up until Ctrl+C; a second
 *   one doesn't wait.
 */
export async function runScript(work: () => Promise<boolean | void>): Promise<void> {
	let isGood = false;
	let isEnding = false;
	onEnd(async () => {
		if (isEnding) process.exit(130);
		isEnding = true;
		log('\nStopping …');
		await stopAll();
		process.exit(isGood ? 0 : 130);
	});
	try {
		isGood = (await work()) !== false;
		process.exitCode = isGood ? 0 : 1;
	} catch (error) {
		if (isEnding) return;
		log(`\n${(error as Error).message}`);
		await stopAll();
		process.exit(1);
	}
}
