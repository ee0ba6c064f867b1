import { npmCommand } from '../start.js';
import { run, type RunOptions } from './child.cts';

/** Runs npm. @returns what it printed */
export const npm = async (args: string[], options?: RunOptions): Promise<string> =>
	await run(...npmCommand(...args), options);
