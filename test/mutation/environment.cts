/** One failed test decides about a mutant: no test runs after it. */
import { TestEnvironment } from 'jest-environment-node';
import type { Circus } from '@jest/types';

const activeMutant = () => process.env.__STRYKER_ACTIVE_MUTANT__;

/** Stryker knows tests by their names, without spaces in front, and searches for them with a pattern: it must not be huge. */
const LONGEST_NAME = 800;

/** A variable of the process: Stryker loads this file from the project, and the runner loads it from Stryker's copy. */
const DECIDED = 'DECIDED_MUTANT';

/** The test that noticed the last mutant that was noticed. It comes first, since mutants come in the order of the code. */
let noticed: string | undefined;

type Child = Circus.DescribeBlock['children'][number];

const testsIn = (child: Child): Circus.TestEntry[] =>
	child.type === 'test' ? [child] : child.children.flatMap(testsIn);

function putFirst(child: Child): void {
	if (child.type === 'test') return;
	const isFirst = (each: Child) => Number(testsIn(each).some(({ name }) => name === noticed));
	child.children.sort((one, other) => isFirst(other) - isFirst(one));
	child.children.forEach(putFirst);
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
		if (event.name !== 'test_fn_failure' && event.name !== 'hook_failure') return;
		process.env[DECIDED] = activeMutant();
		noticed = event.test?.name;
		for (const test of testsIn(state.rootDescribeBlock)) test.mode = 'skip';
	}
}

export = StopsAtFirstFailure;
