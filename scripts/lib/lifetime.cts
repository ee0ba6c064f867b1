/** How a script ends, and all that it started with it. */
import { onEnd } from '../start.js';
import { stopAll } from './child.cts';
import { log } from './log.cts';

/** @param work gives false if it didn't end well */
export function runScript(work: () => Promise<boolean | void>): void {
	onEnd(async () => {
		await stopAll();
		process.exit(130);
	});
	const failed = async (error: Error) => {
		log(`\n${error.message}`);
		await stopAll();
		return false;
	};
	void work()
		.catch(failed)
		.then((isGood) => (process.exitCode = isGood === false ? 1 : 0));
}
