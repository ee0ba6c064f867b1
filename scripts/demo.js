/**
 * `npm run demo`: a real n8n with the node installed, a stand-in of the messaging service, and one message of
 * each kind. Stays up to look around; with `-- --once` it ends after the messages.
 */
const path = require('node:path');
const { stopAll } = require('./lib/child');
const { onEnd } = require('./lib/lifetime');
const paths = require('./lib/paths');
const { freePort, whoHolds } = require('./lib/ports');
const { openHome } = require('./lib/demo-home');
const { say, step } = require('./lib/say');
const { ensureDependencies, ensureN8n } = require('./lib/setup');

const EDITOR_PORT = 5678;
const INBOX_PORT = 8025;
const HOME = path.join(paths.tmp, 'demo');

async function demo({ once }) {
	say('\nOutbound Messaging for n8n: the demo\n');
	await ensureDependencies();
	await ensureN8n();
	// Only now: these need what was just installed.
	require('tsx/cjs');
	const { startSandbox } = require('../sandbox/index.cts');
	const { packNode } = require('../test/n8n/package-under-test.cts');
	const { startN8n } = require('../test/n8n/instance.cts');
	const { newOwner, signIn } = require('../test/n8n/client.cts');
	const { isAccepted, runShowcase, setUpShowcase } = require('./lib/showcase');

	const home = once ? undefined : await openHome(HOME, newOwner);
	const tarball = await step('Building and packing the node', packNode);
	const sandbox = await startSandbox({ port: once ? 0 : await portFor('inbox', INBOX_PORT) });
	const port = once ? 0 : await portFor('editor', EDITOR_PORT);
	const n8n = await step('Starting n8n with the node installed', () =>
		startN8n({ package: tarball, home: home?.folder, port }),
	);
	const client = await signIn(n8n.url, home?.owner);
	const { workflowId, execution, results } = await step(
		'Sending one message of each kind',
		async () => {
			const workflowId = await setUpShowcase(client, sandbox);
			return { workflowId, ...(await runShowcase(client, workflowId)) };
		},
	);

	printResults(results);
	printConversation(sandbox.ledger.accepted());
	const complete =
		execution.status === 'success' &&
		results.every(isAccepted) &&
		sandbox.ledger.accepted().length === results.length;
	say(complete ? '\nAll three were accepted.' : `\nNOT all were accepted. ${reason(execution)}`);

	if (once) {
		await n8n.stop();
		return await end(complete ? 0 : 1);
	}
	home.markReady(n8n.url);
	up = true;
	printAddresses({ n8n, sandbox, workflowId, home });
}

async function portFor(what, preferred) {
	const port = await freePort(preferred);
	if (port !== preferred) {
		say(`  Port ${preferred} is in use by ${whoHolds(preferred)}: the ${what} moves to ${port}.`);
	}
	return port;
}

function printResults(results) {
	for (const { name, record } of results) {
		say(`\n${name}`);
		say(record ? indent(JSON.stringify(record, null, 2)) : '  no result');
	}
}

function printConversation(entries) {
	const { conversation } = require('./lib/conversation');
	say('\nWhat the customer got, as the messaging service saw it:');
	for (const line of conversation(entries)) say(`  ${line}`);
}

function printAddresses({ n8n, sandbox, workflowId, home: { owner, isNew, ownerFile } }) {
	const kept = path.relative(paths.root, ownerFile);
	const password = isNew ? `${owner.password}   (shown once; kept in ${kept})` : `in ${kept}`;
	say(`
Have a look around:
  Editor     ${n8n.url}/workflow/${workflowId}
  Login      ${owner.email}
  Password   ${password}
  Inbox      ${sandbox.inboxUrl}

Workflows of your own stay for the next start; the example is put back as it was.
Ctrl+C ends everything.`);
}

const indent = (text) => text.replace(/^/gm, '  ');

const reason = ({ error }) => [error?.message, error?.description].filter(Boolean).join(' ');

let up = false;
let ending = false;

/** Ends what was started, in whatever state it is. A second Ctrl+C does not wait. */
async function end(exitCode) {
	if (ending) process.exit(exitCode);
	ending = true;
	await stopAll();
	process.exit(exitCode);
}

onEnd(() => {
	say('\nStopping …');
	void end(up ? 0 : 130);
});

demo({ once: process.argv.includes('--once') }).catch((error) => {
	if (ending) return;
	say(`\nThe demo did not come through: ${error.message}`);
	say(`\nShould it fail again, remove the folder ${path.relative('', paths.tmp)} and start anew.`);
	void end(1);
});
