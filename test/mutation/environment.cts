/** One failed test decides about a mutant: no test runs after it. */
import { TestEnvironment } from 'jest-environment-node';
import type { Circus } from '@jest/types';

const activeMutant = () => process.env.__STRYKER_ACTIVE_MUTANT__;

/** Stryker searches for tests with a pattern of their names: a longer one would slow down each mutant. */
const LONGEST_NAME = 800;

let decided: string | undefined;

class StopsAtFirstFailure extends TestEnvironment {
	/** Whether a test has failed on the mutant that is being tried. */
	static get isDecided() {
		return decided !== undefined && activeMutant() === decided;
	}

	handleTestEvent(event: Circus.Event, { currentDescribeBlock }: Circus.State) {
		if (event.name === 'add_test') {
			const added = currentDescribeBlock.tests.at(-1)!;
			added.name = added.name.slice(0, LONGEST_NAME);
		}
		if (event.name === 'test_start' && StopsAtFirstFailure.isDecided) event.test.mode = 'skip';
		if (event.name === 'test_fn_failure' || event.name === 'hook_failure') decided = activeMutant();
	}
}

export = StopsAtFirstFailure;
