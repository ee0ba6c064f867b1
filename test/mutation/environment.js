/** One failed test decides about a mutant: no test runs after it. JavaScript, since Stryker loads it as it is. */
const { TestEnvironment } = require('jest-environment-node');

let decided;

module.exports = class extends TestEnvironment {
	/** Whether a test has failed on the mutant that is being tried. */
	static get isDecided() {
		const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
		return mutant !== undefined && mutant === decided;
	}

	async handleTestEvent({ name, test }) {
		if (name === 'test_start' && module.exports.isDecided) test.mode = 'skip';
		if (name === 'test_fn_failure' || name === 'hook_failure') {
			decided = process.env.__STRYKER_ACTIVE_MUTANT__;
		}
	}
};
