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
import { outboundMessaging, webhook, workflow } from '../n8n/workflow.cts';
import { textOf, NODE } from './help.cts';

const SCOPE = '@outbound-test';
const SCOPED = `${SCOPE}/n8n-nodes-outbound-messaging`;
const API = '/rest/community-packages';

let registry: Awaited<ReturnType<typeof startRegistry>>;
let sandbox: Sandbox;
let n8n: Instance;
let home: string;
let client: Client;
let credentialId: string;

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
async function expectListed(packageName: string) {
	const type = `${packageName}.outboundMessaging`;
	const found = await nodeType(type);
	expect(found).toMatchObject({
		displayName: 'Outbound Messaging',
		codex: { alias: expect.arrayContaining(['whatsapp', 'message', 'sms']) },
	});
	expect(await nodeType(`${type}Tool`)).toMatchObject({ displayName: 'Outbound Messaging Tool' });
	for (const icon of [found!.iconUrl.light, found!.iconUrl.dark]) {
		const response = await fetch(`${n8n.url}/${icon}`);
		expect(response.headers.get('content-type')).toContain('image/svg+xml');
		expect(await response.text()).toContain('<svg');
	}
	const credential = (await types('credentials')).find(
		({ name }) => name === 'outboundMessagingApi',
	);
	expect(credential).toMatchObject({
		displayName: 'Outbound Messaging API',
		supportedNodes: expect.arrayContaining([type]),
	});
}

/** Publishes a workflow that sends what is posted to its webhook. @returns its ID, and a call of it */
async function publishFlow(packageName: string, path: string) {
	const parameters = {
		...textOf(),
		customerId: '={{ $json.body.customer }}',
		text: '={{ $json.body.text }}',
	};
	const type = `${packageName}.outboundMessaging`;
	const sender = { ...outboundMessaging({ credentialId, parameters }), type };
	const { id } = await client.createWorkflow(workflow('Installed', [webhook(path), sender]));
	await client.activate(id);
	const post = async (customer: number, text: string) => {
		const response = await fetch(`${n8n.url}/webhook/${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', connection: 'close' },
			body: JSON.stringify({ customer, text }),
		});
		return { status: response.status, body: await response.json() };
	};
	return { id, post };
}

const accepted = (customer: number) => ({
	status: 200,
	body: [{ extra: { customer_id: customer, success: true } }],
});

const texts = () => sandbox.ledger.accepted().map(({ body }) => body.text);

describe("the editor's Community nodes", () => {
	const REFUSED = 'The service rejected the message';
	const NEXT = 'The next version says: the service rejected the message';
	let flow: Awaited<ReturnType<typeof publishFlow>>;

	/** The words of a rejection tell which version is at work. */
	async function refusal() {
		sandbox.faults.set([{ what: 'status', status: 400 }]);
		await flow.post(9, 'refused');
		sandbox.faults.clear();
		const [{ id }] = await client.executions(flow.id);
		return (await client.waitForExecution(id)).nodeError(NODE).message;
	}

	test('install: the node is there at once, and works', async () => {
		await registry.publish(await packNode(), { name: SCOPED, version: '1.0.0' });
		expect(await client.call('GET', API)).toEqual([]);
		expect(await nodeType(`${SCOPED}.outboundMessaging`)).toBeUndefined();

		const installed = await client.call('POST', API, { name: SCOPED });
		expect(installed).toMatchObject({
			packageName: SCOPED,
			installedVersion: '1.0.0',
			installedNodes: [{ name: 'Outbound Messaging', type: `${SCOPED}.outboundMessaging` }],
		});
		await expectListed(SCOPED);
		const { url: baseUrl, headerName: apiKeyHeader, apiKey } = sandbox;
		const data = { baseUrl, apiKeyHeader, apiKey };
		const credential = { name: NODE, type: 'outboundMessagingApi', data };
		credentialId = (await client.createCredential(credential)).id;
		flow = await publishFlow(SCOPED, 'by-dialog');
		expect(await flow.post(1, 'installed')).toMatchObject(accepted(1));
		expect(texts()).toEqual(['installed']);
		expect(await refusal()).toContain(REFUSED);
	});

	test('nothing but the package itself was installed', () => {
		const folder = path.join(home, '.n8n/nodes/node_modules');
		expect(fs.readdirSync(folder).filter((name) => !name.startsWith('.'))).toEqual([SCOPE]);
		expect(fs.readdirSync(path.join(folder, SCOPED)).sort()).toEqual([
			'CHANGELOG.md',
			'LICENSE',
			'README.md',
			'THIRD_PARTY_NOTICES',
			'dist',
			'package.json',
		]);
	});

	test('update: offered, done, and the workflow runs on with the new version', async () => {
		await registry.publish(await packNode(), {
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
		expect(await flow.post(2, 'updated')).toMatchObject(accepted(2));
		expect(texts()).toEqual(['installed', 'updated']);
		expect(await refusal()).toContain(NEXT);
	});

	test('uninstall: gone from the list and from the disk', async () => {
		await client.call('DELETE', `${API}?name=${encodeURIComponent(SCOPED)}`);
		expect(await client.call('GET', API)).toEqual([]);
		expect(await nodeType(`${SCOPED}.outboundMessaging`)).toBeUndefined();
		expect(fs.existsSync(path.join(home, '.n8n/nodes/node_modules', SCOPED))).toBe(false);
	});
});
