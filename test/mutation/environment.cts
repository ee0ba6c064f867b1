/** One failed test decides about a mutant: no test runs after it. */
import { TestEnvironment } from 'jest-environment-node';
import type { Circus } from '@jest/types';

const activeMutant = () => process.env.__STRYKER_ACTIVE_MUTANT__;

/** Stryker knows tests by their names, without spaces in front, and searches for them with a pattern: it must not be huge. */
const LONGEST_NAME = 800;

/** A variable of the process: Stryker loads this file from the project, and the runner loads it from Stryker's copy. */
const DECIDED = 'DECIDED_MUTANT';

/** The test that noticed the last mutant. It runs first, since the next mutant is usually in the same code. */
let noticed: string | undefined;

/** @returns whether the test that runs first is in there */
function putFirst(child: Circus.DescribeBlock['children'][number]): boolean {
	if (child.type === 'test') return child.name === noticed;
	const first = child.children.filter(putFirst);
	child.children = [...new Set([...first, ...child.children])];
	return first.length > 0;
}

class StopsAtFirstFailure extends TestEnvironment {
	/** Whether a test has failed on the mutant that is being tried. */
	static get isDecided() {
		return activeMutant() !== undefined && activeMutant() === process.env[DECIDED];
	}

	handleTestEvent(event: Circus.Event, state: Circus.State) {
		if (event.name === 'add_test') {
			const added = state.currentDescribeBlock.tests.at(-1)!;
			added.name = added.name.trim().slice(0, LONGEST_NAME);
		}
		if (event.name === 'run_start') putFirst(state.rootDescribeBlock);
		if (event.name === 'test_start' && StopsAtFirstFailure.isDecided) event.test.mode = 'skip';
		if (event.name !== 'test_fn_failure' && event.name !== 'hook_failure') return;
		process.env[DECIDED] = activeMutant();
		noticed = event.test?.name;
	}
}

export = StopsAtFirstFailure;
