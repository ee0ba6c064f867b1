/** Installed, updated and uninstalled as users do it, in the editor; all other tests install it by hand. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../scripts/lib/ports.cts';
import { startSandbox, type Sandbox } from '../../sandbox/index.cts';
import { signIn, type Client } from '../n8n/client.cts';
import { startN8n, type Instance } from '../n8n/instance.cts';
import { packNode } from '../n8n/package-under-test.cts';
import { startRegistry } from '../n8n/registry.cts';
import { credentialFor, NODE, outboundMessaging, webhook, workflow } from '../n8n/workflow.cts';

jest.setTimeout(600_000);

const SCOPE = '@outbound-test';
const SCOPED = `${SCOPE}/n8n-nodes-outbound-messaging`;
const TYPE = `${SCOPED}.outboundMessaging`;
const API = '/rest/community-packages';

let registry: Awaited<ReturnType<typeof startRegistry>>;
let sandbox: Sandbox;
let n8n: Instance;
let home: string;
let client: Client;

beforeAll(async () => {
	registry = await startRegistry();
	sandbox = await startSandbox();
	home = fs.mkdtempSync(path.join(os.tmpdir(), 'n8n-home-'));
	fs.writeFileSync(path.join(home, '.npmrc'), `${SCOPE}:registry=${registry.url}\n`);
	n8n = await startN8n({
		home,
		package: false,
		env: {
			HOME: home,
			// Neither n8n nor its npm gets out of this machine: nothing listens at this URL.
			HTTPS_PROXY: `http://127.0.0.1:${await freePort()}`,
			NO_PROXY: '127.0.0.1,localhost',
		},
	});
	client = await signIn(n8n.url);
}, 240_000);

afterAll(async () => {
	await n8n.stop();
	await registry.stop();
	await sandbox.stop();
	fs.rmSync(home, { recursive: true, force: true });
}, 60_000);

/** What the editor loads to fill its list of nodes. */
async function types(kind: 'nodes' | 'credentials') {
	const headers = { cookie: client.cookie, 'browser-id': client.browserId };
	const response = await fetch(`${n8n.url}/types/${kind}.json`, { headers });
	expect(response.ok).toBe(true);
	return (await response.json()) as Array<{
		name: string;
		iconUrl: { light: string; dark: string };
	}>;
}

const nodeType = async (name: string) => (await types('nodes')).find((each) => each.name === name);

/** What a person sees of the package in the editor: the node, its icon, the words that find it, its credential. */
async function expectListed() {
	const found = await nodeType(TYPE);
	expect(found).toMatchObject({
		displayName: 'Outbound Messaging',
		codex: { alias: expect.arrayContaining(['whatsapp', 'message', 'sms']) },
	});
	expect(await nodeType(`${TYPE}Tool`)).toMatchObject({ displayName: 'Outbound Messaging Tool' });
	for (const icon of [found!.iconUrl.light, found!.iconUrl.dark]) {
		const response = await fetch(`${n8n.url}/${icon}`);
		expect(response.headers.get('content-type')).toContain('image/svg+xml');
		expect(await response.text()).toContain('<svg');
	}
	expect(await types('credentials')).toContainEqual(
		expect.objectContaining({
			name: 'outboundMessagingApi',
			displayName: 'Outbound Messaging API',
			supportedNodes: expect.arrayContaining([TYPE]),
		}),
	);
}

/** Publishes a workflow that sends what is posted to its webhook. @returns its ID, and a call of it */
async function publishFlow() {
	const { id: credentialId } = await client.createCredential(credentialFor(sandbox));
	const parameters = {
		operation: 'sendText',
		customerId: '={{ $json.body.customer }}',
		text: '={{ $json.body.text }}',
	};
	const sender = { ...outboundMessaging({ credentialId, parameters }), type: TYPE };
	const flow = workflow('Installed', [webhook('by-dialog'), sender]);
	const { id } = await client.createWorkflow(flow);
	await client.activate(id);
	return {
		id,
		post: async (text: string) =>
			await fetch(`${n8n.url}/webhook/by-dialog`, {
				method: 'POST',
				headers: { 'content-type': 'application/json', connection: 'close' },
				body: JSON.stringify({ customer: 1, text }),
			}),
	};
}

describe("the editor's Community nodes", () => {
	const REFUSED = 'The service rejected the message';
	const NEXT = 'The next version says: the service rejected the message';
	let flow: Awaited<ReturnType<typeof publishFlow>>;

	/** A message arrives, and the words of a rejection tell which version is at work. */
	async function expectAtWork(words: string) {
		expect((await flow.post(words)).status).toBe(200);
		expect(sandbox.ledger.accepted().at(-1)?.body.text).toBe(words);
		sandbox.faults.set([{ what: 'status', status: 400 }]);
		await flow.post('refused');
		sandbox.faults.clear();
		const [{ id }] = await client.executions(flow.id);
		expect((await client.waitForExecution(id)).nodeError(NODE).message).toContain(words);
	}

	test('install: the node is there at once, and works', async () => {
		await registry.publish({ tarball: await packNode(), name: SCOPED, version: '1.0.0' });
		expect(await nodeType(TYPE)).toBeUndefined();

		expect(await client.call('POST', API, { name: SCOPED })).toMatchObject({
			packageName: SCOPED,
			installedVersion: '1.0.0',
			installedNodes: [{ name: 'Outbound Messaging', type: TYPE }],
		});
		await expectListed();
		flow = await publishFlow();
		await expectAtWork(REFUSED);
		// What is in the package is in test/package.
		const installed = fs.readdirSync(path.join(home, '.n8n/nodes/node_modules'));
		expect(installed.filter((name) => !name.startsWith('.'))).toEqual([SCOPE]);
	});

	test('update: offered, done, and the workflow runs on with the new version', async () => {
		await registry.publish({
			tarball: await packNode(),
			name: SCOPED,
			version: '1.1.0',
			change(folder) {
				const file = path.join(folder, 'dist/nodes/OutboundMessaging/OutboundMessaging.node.js');
				const code = fs.readFileSync(file, 'utf8');
				expect(code).toContain(REFUSED);
				fs.writeFileSync(file, code.replace(REFUSED, NEXT));
			},
		});
		expect(await client.call('GET', API)).toMatchObject([
			{ packageName: SCOPED, installedVersion: '1.0.0', updateAvailable: '1.1.0' },
		]);
		expect(await client.call('PATCH', API, { name: SCOPED })).toMatchObject({
			installedVersion: '1.1.0',
		});
		await expectAtWork(NEXT);
	});

	test('uninstall: gone from the list and from the disk', async () => {
		await client.call('DELETE', `${API}?name=${encodeURIComponent(SCOPED)}`);
		expect(await client.call('GET', API)).toEqual([]);
		expect(await nodeType(TYPE)).toBeUndefined();
		expect(fs.existsSync(path.join(home, '.n8n/nodes/node_modules', SCOPED))).toBe(false);
	});
});
