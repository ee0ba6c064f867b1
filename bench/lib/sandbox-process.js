/** The sandbox in a process of its own: its settings come as the argument, its address goes to the output. */
require('tsx/cjs');
const { startSandbox } = require('../../sandbox/index.cts');

async function main() {
	const sandbox = await startSandbox({ keepBodies: false, ...JSON.parse(process.argv[2]) });
	const { url, headerName, apiKey } = sandbox;
	console.log(`READY ${JSON.stringify({ url, headerName, apiKey })}`);
	process.once('SIGTERM', () => void sandbox.stop().then(() => process.exit(0)));
}

void main();
