/** One failed test decides about a mutant: no test runs after it. */
import { TestEnvironment } from 'jest-environment-node';
import type { Circus } from '@jest/types';

const activeMutant = () => process.env.__STRYKER_ACTIVE_MUTANT__;

let decided: string | undefined;

class StopsAtFirstFailure extends TestEnvironment {
	/** Whether a test has failed on the mutant that is being tried. */
	static get isDecided() {
		return decided !== undefined && activeMutant() === decided;
	}

	handleTestEvent(event: Circus.Event) {
		if (event.name === 'test_start' && StopsAtFirstFailure.isDecided) event.test.mode = 'skip';
		if (event.name === 'test_fn_failure' || event.name === 'hook_failure') decided = activeMutant();
	}
}

export = StopsAtFirstFailure;
