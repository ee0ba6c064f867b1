/** The demo as a newcomer starts it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { finish, start, stopAll } from '../../scripts/lib/child.cts';
import * as paths from '../../scripts/lib/paths.cts';
import { step } from '../../scripts/start.js';
import { signIn } from '../n8n/client.cts';
import { manualTrigger, NODE, outboundMessaging, workflow } from '../n8n/workflow.cts';

jest.setTimeout(600_000);

test('npm run demo -- --once sends one message of each kind and ends', async () => {
	const options = { cwd: paths.root };
	const { child, problem } = await finish('npm', ['run', 'demo', '--', '--once'], options);
	const accepted = expect.stringContaining('All three were accepted.') as string;
	expect([problem, child.output()]).toEqual([undefined, accepted]);
});

test('a step shows how long it takes, and that a machine is slow', async () => {
	jest.useFakeTimers();
	const print = jest.spyOn(console, 'log').mockReturnValue();
	const work = async () => await new Promise((done) => setTimeout(done, 100_000));
	const ending = step('Installing', work, 40);
	await jest.advanceTimersByTimeAsync(100_000);
	await ending;
	jest.useRealTimers();
	expect(print.mock.calls.flat()).toEqual([
		'  Installing: 00:00, usually 00:40',
		'  Installing: 00:30, usually 00:40',
		'  Installing: 01:00, usually 00:40',
		'  Installing: 01:30, usually 00:40 (slow machine or network)',
		'  Installing: 01:40, usually 00:40 (slow machine or network)',
	]);
});

/** What the demo says in a line of its own. */
const LINE =
	/^ {2}(Editor|Email|Password|Inbox|Credential|Base URL|API Key|Template ID|Channel ID) +(.*)$/gm;

test('started twice: the second start says the same, and sends again what is gone', async () => {
	const home = fs.mkdtempSync(path.join(os.tmpdir(), 'demo-'));
	const options = { cwd: paths.root, env: { ...process.env, OUTBOUND_TEST_DEMO: home } };
	const startDemo = async () => {
		const child = await start('npm', ['run', 'demo'], options);
		await child.waitForOutput(/Ctrl\+C ends everything/);
		const lines = [...child.output().matchAll(LINE)];
		const said = Object.fromEntries(lines.map(([, name, text]) => [name, text]));
		const owner = { email: said.Email, password: said.Password, firstName: '', lastName: '' };
		return { child, said, client: await signIn(new URL(said.Editor).origin, owner) };
	};
	try {
		const first = await startDemo();
		// Whoever else works on this machine finds no way into its n8n.
		const modes = [home, path.join(home, 'owner.json')].map((file) => fs.statSync(file).mode);
		expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o600]);
		const credentials = await first.client.credentials();
		const template = outboundMessaging({
			credentialId: credentials.find(({ name }) => name === first.said.Credential)!.id,
			parameters: {
				operation: 'sendTemplate',
				templateId: first.said['Template ID'].split(':')[0],
				channelId: first.said['Channel ID'],
				customerPhone: '+12025550143',
				attributes: { attribute: [{ value: 'Ada' }] },
				safeguards: { sendOnceKey: 'welcome' },
			},
		});
		expect(first.said['Base URL']).toBe(new URL(first.said.Inbox).origin);
		expect(first.said['API Key']).toBe('sandbox-key-not-a-secret');
		const click = async (example: string) => {
			const [, id] = new RegExp(`${example} +.*workflow/(\\w+)`).exec(first.child.output())!;
			return await first.client.run(id, { trigger: 'Every hour' });
		};
		const read = async (example: string, node: string) =>
			(await click(example)).items(node).map(({ text }) => text);
		const reminder = expect.stringMatching(/^Hi Ada Lindgren, .*, 9:00\.$/) as string;
		expect(await read('Reminders', 'Remind')).toContainEqual(reminder);
		const offer = expect.stringMatching(/^Hi Ada, .* SPRING-20\.$/) as string;
		expect(await read('Campaign', 'Send the offer')).toContainEqual(offer);
		// One run for each appointment shows its question.
		const confirmations = await click('Confirmations');
		expect(confirmations.runs('One run per appointment')).toHaveLength(4);
		const [, webhookKey] = /export WEBHOOK_KEY=(\S+)/.exec(first.child.output())!;
		const call = await fetch(`${first.client.url}/webhook/opt-out`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'x-webhook-key': webhookKey },
			body: JSON.stringify({ phone: '0044 7700 900461' }),
		});
		expect(await call.json()).toEqual({ optedOut: '+447700900461' });
		const own = workflow('My own', [manualTrigger(), template]);
		const { id } = await first.client.createWorkflow(own);
		const send = async ({ client }: typeof first) => (await client.run(id)).items(NODE);
		expect(await send(first)).toMatchObject([{ status: 'ongoing' }]);
		expect(await send(first)).toMatchObject([{ skipped: true }]);

		const another = await finish('npm', ['run', 'demo'], options);
		expect(another.child.output()).toContain('it is already up at');
		expect(another.child.output()).not.toContain('remove the folder');
		await first.child.stop();

		const second = await startDemo();
		const lasting = ['Email', 'Password', 'Credential', 'Template ID', 'Channel ID'];
		for (const name of lasting) expect(second.said[name]).toBe(first.said[name]);
		expect(await send(second)).toMatchObject([{ status: 'ongoing' }]);
		const inbox = await fetch(`${second.said.Inbox}_sandbox/ledger`);
		expect(await inbox.text()).toContain('"template_id":"welcome"');
	} finally {
		await stopAll();
		fs.rmSync(home, { recursive: true, force: true });
	}
});
