/** Installed and uninstalled as users do it, in the editor; all other tests install it by hand. */
import fs from 'node:fs';
import path from 'node:path';
import { poll, run, start } from '../../scripts/lib/child.cts';
import { npm } from '../../scripts/lib/npm.cts';
import * as paths from '../../scripts/lib/paths.cts';
import { freePort } from '../../scripts/lib/ports.cts';
import { n8nNode } from '../../scripts/lib/setup.cts';
import { temporaryFolder } from '../../scripts/lib/temporaryFolder.cts';
import { packNode } from '../n8n/package-under-test.cts';
import { manualTrigger, NODE, outboundMessaging, workflow } from '../n8n/workflow.cts';
import { useOwnN8n } from './help.cts';

const SCOPE = '@outbound-test';
const SCOPED = `${SCOPE}/n8n-nodes-outbound-messaging`;
const TYPE = `${SCOPED}.outboundMessaging`;
const API = '/rest/community-packages';

let registry: Awaited<ReturnType<typeof startRegistry>>;
const { folder: home, remove } = temporaryFolder('n8n-home-');

beforeAll(async () => {
	registry = await startRegistry();
	fs.writeFileSync(path.join(home, '.npmrc'), `${SCOPE}:registry=${registry.url}\n`);
});

const used = useOwnN8n({
	home,
	package: false,
	env: {
		HOME: home,
		// Neither n8n nor its npm gets out of this machine: nothing listens at this URL.
		HTTPS_PROXY: 'http://127.0.0.1:9',
		NO_PROXY: '127.0.0.1,localhost',
	},
});

afterAll(async () => {
	await registry.stop();
	remove();
}, 60_000);

/** Whether the node is in what the editor loads to fill its list. */
async function isListed() {
	const { cookie, browserId } = used.client;
	const headers = { cookie, 'browser-id': browserId, connection: 'close' };
	const response = await fetch(`${used.n8n.url}/types/nodes.json`, { headers });
	return ((await response.json()) as Array<{ name: string }>).some(({ name }) => name === TYPE);
}

test("Community nodes: installed, it works at once; uninstalled, it's gone", async () => {
	await registry.publish();
	expect(await isListed()).toBe(false);
	expect(await used.client.call('POST', API, { name: SCOPED })).toMatchObject({
		packageName: SCOPED,
		installedVersion: '1.0.0',
		installedNodes: [{ name: 'Outbound Messaging', type: TYPE }],
	});
	// What a person sees of it there is in test/ui.
	expect(await isListed()).toBe(true);

	const credentialId = await used.createCredential();
	const parameters = { operation: 'sendText', customerId: '1', text: 'Hello' };
	const sender = { ...outboundMessaging({ credentialId, parameters }), type: TYPE };
	const flow = await used.client.createWorkflow(workflow('Installed', [manualTrigger(), sender]));
	expect((await used.client.run(flow.id)).items(NODE)).toMatchObject([
		{ extra: { success: true } },
	]);
	expect(used.recipients()).toEqual(['1']);

	await used.client.call('DELETE', `${API}?name=${encodeURIComponent(SCOPED)}`);
	expect(await used.client.call('GET', API)).toEqual([]);
	expect(await isListed()).toBe(false);
	expect(fs.existsSync(path.join(home, '.n8n/nodes/node_modules', SCOPED))).toBe(false);
});

const SERVER = path.join(paths.n8n, 'node_modules/verdaccio/bin/verdaccio');

/** Nothing is fetched from anywhere else, and everyone may publish. */
const CONFIG = {
	...{ storage: 'storage', uplinks: {}, web: { enable: false } },
	packages: { '**': { access: '$all', publish: '$all' } },
	log: { type: 'stdout', format: 'json', level: 'warn' },
};

/**
 * A package registry on the loopback interface that knows nothing but what a test publishes there.
 */
async function startRegistry() {
	const { folder, remove } = temporaryFolder('registry-');
	const file = path.join(folder, 'config.yaml');
	fs.writeFileSync(file, JSON.stringify(CONFIG));
	const host = `127.0.0.1:${await freePort()}`;
	const url = `http://${host}/`;
	// npm asks for a token before it publishes; the server takes any.
	const npmrc = path.join(folder, '.npmrc');
	fs.writeFileSync(npmrc, `registry=${url}\n//${host}/:_authToken=anybody\n`);

	const options = ['--config', file, '--listen', host];
	const child = await start(n8nNode(), [SERVER, ...options], { cwd: folder });
	const answers = async () => (await fetch(`${url}-/ping`).catch(() => undefined))?.ok;
	await poll(answers, { child, what: 'the registry to answer' });

	return {
		url,
		/** Publishes the node as a package in the scope. */
		async publish() {
			const unpacked = fs.mkdtempSync(path.join(folder, 'unpacked-'));
			await run('tar', ['-xzf', await packNode(), '-C', unpacked, '--strip-components=1']);
			const manifest = path.join(unpacked, 'package.json');
			const content = JSON.parse(fs.readFileSync(manifest, 'utf8')) as object;
			fs.writeFileSync(manifest, JSON.stringify({ ...content, name: SCOPED, version: '1.0.0' }));
			// The package itself insists on a provenance statement, which only the release
			// workflow can get.
			await npm(['publish', '--ignore-scripts', '--provenance=false', '--userconfig', npmrc], {
				cwd: unpacked,
			});
		},
		async stop() {
			await child.stop();
			remove();
		},
	};
}
