import { npmCommand } from '../start.js';
import { run, type RunOptions } from './child.cts';

/** Runs the npm that runs this script, or else the one in PATH. @returns what it printed */
export async function npm(args: string[], options?: RunOptions): Promise<string> {
	const [command, ...first] = npmCommand();
	const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
	return await run(command, [...first, ...args, ...quiet], options);
}
