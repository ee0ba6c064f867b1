/**
 * `npm run demo`: a real n8n with the node installed, a mock messaging service, and one message of
 * each kind. Stays up to look around; with `-- --once` it ends after the messages. `npm run dev` is
 * the same, and loads every saved change of the node.
 */
import path from 'node:path';
import { start } from './lib/child.cts';
import * as paths from './lib/paths.cts';
import { freePort } from './lib/ports.cts';
import { forgetSent, openHome, runningDemo } from './lib/demoHome.cts';
import { runScript } from './lib/lifetime.cts';
import { ensureN8n } from './lib/setup.cts';
import { startSandbox } from '../sandbox/index.cts';
import { textsOf } from '../sandbox/templates.cts';
import { packNode } from '../test/n8n/package-under-test.cts';
import { startN8n } from '../test/n8n/instance.cts';
import { signIn } from '../test/n8n/client.cts';
import { log, step, tool } from './start.js';
import { CREDENTIAL, sendMessages, setUpShowcase } from './lib/showcase.cts';

/** n8n looks at the second only in the first. */
const RELOADING = { env: { NODE_ENV: 'development', N8N_DEV_RELOAD: 'true' } };
/** For .vscode/launch.json. Every user of this machine can attach to it, and run code. */
const INSPECTED = { nodeArgs: ['--inspect=127.0.0.1:9229'] };
/** A test's demo isn't the one that someone looks around in. */
const HOME = process.env.OUTBOUND_TEST_DEMO ?? path.join(paths.tmp, 'demo');

async function demo(): Promise<boolean | void> {
	log('\nOutbound Messaging for n8n: the demo\n');
	await ensureN8n();

	const once = process.argv.includes('--once');
	const home = once ? undefined : await openHome(HOME);
	const tarball = await step('Building and packing the node', packNode, 15);
	const sandbox = await startSandbox({ port: once ? 0 : await freePort(8025) });
	const watch = process.argv.includes('--watch');
	const inspect = process.argv.includes('--inspect');
	if (home) await forgetSent(HOME);
	const options = { package: tarball, home: home && HOME, port: once ? undefined : 5678 };
	const boot = () => startN8n({ ...options, ...(watch && RELOADING), ...(inspect && INSPECTED) });
	const n8n = await step('Starting n8n with the node installed', boot, 20);
	const client = await signIn(n8n.url, home?.owner);
	const workflows = await setUpShowcase(client, sandbox);
	const send = () => sendMessages(client, workflows.messages);
	const { records, isComplete, error } = await step('Sending one message of each kind', send, 5);

	for (const [name, record] of records) {
		const json = record ? JSON.stringify(record, null, 2) : 'no result';
		log(`\n${name}\n${json.replace(/^/gm, '  ')}`);
	}
	const complete = isComplete && sandbox.ledger.accepted().length === records.length;
	const why = [error?.message, error?.description].filter(Boolean).join(' ');
	log(complete ? '\nAll three were accepted.' : `\nNOT all were accepted. ${why}`);

	if (!home) {
		await Promise.all([n8n.stop(), sandbox.stop()]);
		return complete;
	}
	await client.start(workflows.question);
	home.markReady(n8n.url);
	log(`
Have a look around:
  Editor       ${n8n.url}/workflow/${workflows.messages}
  Email        ${home.owner.email}
  Password     ${home.owner.password}
  Inbox        ${sandbox.inboxUrl}
  Question     open its link in the inbox, choose an answer, and see the workflow continue:
               ${n8n.url}/workflow/${workflows.question}/executions

Each of these has its tables. Click Execute workflow, and read what each row would get:
  Reminders      ${n8n.url}/workflow/${workflows.reminders}
  Campaign       ${n8n.url}/workflow/${workflows.campaign}
  Confirmations  ${n8n.url}/workflow/${workflows.confirmations}
  Opt-outs       published: examples/README.md has a call. Before it, run
                 export WEBHOOK_KEY=${workflows.webhookKey}
                 ${n8n.url}/workflow/${workflows.optOuts}

In a workflow of your own, choose:
  Credential   ${CREDENTIAL}
  Template ID  welcome: ${textsOf('welcome')}
               appointment_reminder: ${textsOf('appointment_reminder')}
  Channel ID   5001

In a credential of your own, enter:
  Base URL     ${new URL(sandbox.inboxUrl).origin}
  API Key      ${sandbox.apiKey}

Workflows of your own stay for the next start; the examples are put back as they were. The inbox
is empty then, and keys of 'Send Once Key' are forgotten, so that you can send the same messages
again.
Ctrl+C ends everything.`);
	if (watch) await reload();
}

async function reload() {
	log('\nEvery saved change of nodes/, credentials/ and icons/ is built and loaded.');
	const dist = path.join(HOME, '.n8n/nodes/node_modules/n8n-nodes-outbound-messaging/dist');
	await start(process.execPath, [tool('gulp'), 'reload'], {
		cwd: paths.root,
		env: { ...process.env, OUTBOUND_DIST: dist },
		onOutput: (text) => process.stdout.write(text),
	});
}

void runScript(async () => {
	try {
		return await demo();
	} catch (error) {
		const message = `The demo failed: ${(error as Error).message}`;
		const isOther = await runningDemo(HOME);
		const folder = path.relative('', paths.tmp);
		const advice = `If it fails again, remove the folder ${folder} and start again.`;
		throw new Error(isOther ? message : `${message}\n\n${advice}`);
	}
});
