/**
 * The end-to-end tests of what matters to users, for `npm run test:compat` to run on other
 * releases of n8n.
 */
const { projects } = require('../../jest.config');

const FILES = 'faultMatrix,expressions,httpRequest,agentTool,timeLimits,waitForResponse';

const [e2e] = projects.filter(({ displayName }) => displayName === 'e2e');

module.exports = {
	...e2e,
	rootDir: '../..',
	testMatch: [`**/{${FILES}}.test.cts`],
};
