/** The end-to-end tests of what matters to users, for `npm run test:compat` to run on other releases of n8n. */
const FILES = [
	'credential',
	'messages',
	'expressions',
	'sendOnce',
	'production',
	'httpRequest',
	'mcp',
	'agent',
];

module.exports = {
	rootDir: '../..',
	roots: ['<rootDir>/test/e2e'],
	testMatch: FILES.map((name) => `**/${name}.test.js`),
	transform: {},
};
