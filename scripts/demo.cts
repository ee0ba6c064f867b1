/**
 * `npm run demo`: a real n8n with the node installed, a mock messaging service, and one message of
 * each kind. Stays up to look around; with `-- --once` it ends after the messages. `npm run dev` is the same, and loads
 * every saved change of the node.
 */
import path from 'node:path';
import { stopAll } from './lib/child.cts';
import { onEnd } from './lib/lifetime.cts';
import * as paths from './lib/paths.cts';
import { freePort } from './lib/ports.cts';
import { openHome, type Home } from './lib/demoHome.cts';
import { log, step } from './lib/log.cts';
import { reloadOnChange } from './lib/reload.cts';
import { ensureN8n } from './lib/setup.cts';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { packNode } from '../test/n8n/package-under-test.cts';
import { startN8n, type Instance } from '../test/n8n/instance.cts';
import type { Execution } from '../test/n8n/execution.cts';
import { newOwner, signIn, type Owner } from '../test/n8n/client.cts';
import {
	askQuestion,
	isAccepted,
	runShowcase,
	setUpShowcase,
	type ShowcaseResult,
} from './lib/showcase.cts';

const EDITOR_PORT = 5678;
const INBOX_PORT = 8025;
/** n8n looks at the second only in the first. */
const RELOADING = { NODE_ENV: 'development', N8N_DEV_RELOAD: 'true' };
/** For an editor to attach to, as .vscode/launch.json does. */
const DEBUGGER = '--inspect=127.0.0.1:9229';
const HOME = path.join(paths.tmp, 'demo');

interface Flags {
	once: boolean;
	/** n8n reloads the node on every saved change, and can be debugged. */
	watch: boolean;
}

async function demo({ once, watch }: Flags): Promise<void> {
	log('\nOutbound Messaging for n8n: the demo\n');
	await ensureN8n();

	const home = once ? undefined : await openHome(HOME, newOwner);
	const tarball = await step('Building and packing the node', packNode);
	const sandbox = await startSandbox({ port: once ? 0 : await portFor('inbox', INBOX_PORT) });
	const port = once ? 0 : await portFor('editor', EDITOR_PORT);
	const n8n = await step('Starting n8n with the node installed', () =>
		startN8n({
			package: tarball,
			home: home?.folder,
			port,
			...(watch && { nodeArgs: [DEBUGGER], env: RELOADING }),
		}),
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
	const complete =
		execution.status === 'success' &&
		results.every(isAccepted) &&
		sandbox.ledger.accepted().length === results.length;
	log(complete ? '\nAll three were accepted.' : `\nNOT all were accepted. ${reason(execution)}`);

	if (!home) {
		await n8n.stop();
		return await end(complete ? 0 : 1);
	}
	const questionId = await askQuestion(client);
	home.markReady(n8n.url);
	up = true;
	printAddresses({ n8n, sandbox, workflowId, questionId, home });
	if (watch) reloadOnChange(home.folder);
}

async function portFor(what: string, preferred: number): Promise<number> {
	const port = await freePort(preferred);
	if (port !== preferred) {
		log(`  Port ${preferred} is in use: the ${what} moves to ${port}.`);
	}
	return port;
}

function printResults(results: ShowcaseResult[]): void {
	for (const { name, record } of results) {
		log(`\n${name}`);
		log(record ? indent(JSON.stringify(record, null, 2)) : '  no result');
	}
}

interface Running {
	n8n: Instance;
	sandbox: Sandbox;
	workflowId: string;
	questionId: string;
	home: Home<Owner>;
}

function printAddresses({
	n8n,
	sandbox,
	workflowId,
	questionId,
	home: { owner, isNew, ownerFile },
}: Running): void {
	const kept = path.relative(paths.root, ownerFile);
	const password = isNew ? `${owner.password}   (shown once; kept in ${kept})` : `in ${kept}`;
	log(`
Have a look around:
  Editor     ${n8n.url}/workflow/${workflowId}
  Login      ${owner.email}
  Password   ${password}
  Inbox      ${sandbox.inboxUrl}
  Question   open its link in the inbox, choose an answer, and see the workflow continue:
             ${n8n.url}/workflow/${questionId}/executions

Workflows of your own stay for the next start; the examples are put back as they were.
Ctrl+C ends everything.`);
}

const indent = (text: string) => text.replace(/^/gm, '  ');

const reason = ({ error }: Execution) =>
	[error?.message, error?.description].filter(Boolean).join(' ');

let up = false;
let ending = false;

/** Ends what was started, in whatever state it is. A second Ctrl+C does not wait. */
async function end(exitCode: number): Promise<void> {
	if (ending) process.exit(exitCode);
	ending = true;
	await stopAll();
	process.exit(exitCode);
}

onEnd(() => {
	log('\nStopping …');
	void end(up ? 0 : 130);
});

const has = (flag: string) => process.argv.includes(flag);

demo({ once: has('--once'), watch: has('--watch') }).catch((error: Error) => {
	if (ending) return;
	log(`\nThe demo failed: ${error.message}`);
	log(`\nShould it fail again, remove the folder ${path.relative('', paths.tmp)} and start again.`);
	void end(1);
});
