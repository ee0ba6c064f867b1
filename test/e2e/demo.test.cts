/** The demo as a newcomer starts it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { finish, start, stopAll } from '../../scripts/lib/child.cts';
import * as paths from '../../scripts/lib/paths.cts';
import { signIn } from '../n8n/client.cts';
import { manualTrigger, NODE, outboundMessaging, workflow } from '../n8n/workflow.cts';

jest.setTimeout(600_000);

test('npm run demo -- --once sends one message of each kind and ends', async () => {
	const { child, problem } = await finish('npm', ['run', 'demo', '--', '--once'], {
		cwd: paths.root,
	});
	expect([problem, child.output()]).toEqual([
		undefined,
		expect.stringContaining('All three were accepted.'),
	]);
});

/** What the demo says in a line of its own. */
const LINE = /^ {2}(Editor|Email|Password|Inbox|Credential|Template ID|Channel ID) +(.*)$/gm;

test('started twice: the second start says the same, and sends again what is no longer in the inbox', async () => {
	const home = fs.mkdtempSync(path.join(os.tmpdir(), 'demo-'));
	const options = { cwd: paths.root, env: { ...process.env, OUTBOUND_TEST_DEMO: home } };
	const startDemo = async () => {
		const child = await start('npm', ['run', 'demo'], options);
		await child.waitForOutput(/Ctrl\+C ends everything/);
		const said = Object.fromEntries(
			[...child.output().matchAll(LINE)].map(([, name, text]) => [name, text]),
		);
		const { Email: email, Password: password } = said;
		const names = { firstName: '', lastName: '' };
		const client = await signIn(new URL(said.Editor).origin, { email, password, ...names });
		return { child, said, client };
	};
	try {
		const first = await startDemo();
		// Whoever else works on this machine finds no way into its n8n.
		const modes = [home, path.join(home, 'owner.json')].map((file) => fs.statSync(file).mode);
		expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o600]);
		const credential = (await first.client.credentials()).find(
			({ name }) => name === first.said.Credential,
		);
		const template = outboundMessaging({
			credentialId: credential!.id,
			parameters: {
				operation: 'sendTemplate',
				templateId: first.said['Template ID'].split(',')[0],
				channelId: first.said['Channel ID'],
				customerPhone: '+12025550143',
				attributes: { attribute: [{ value: 'Ada' }] },
				safeguards: { sendOnceKey: 'welcome' },
			},
		});
		const { id } = await first.client.createWorkflow(
			workflow('My own', [manualTrigger(), template]),
		);
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
