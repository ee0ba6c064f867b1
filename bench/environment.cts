/** One n8n with all rivals installed, and the service next to it, with and without TLS. */
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { generate } from 'selfsigned';
import { temporaryFolder } from '../scripts/lib/temporaryFolder.cts';
import { startSandboxProcess, type SandboxProcess } from '../sandbox/process.cts';
import { signIn, type Client } from '../test/n8n/client.cts';
import { startN8n } from '../test/n8n/instance.cts';
import { manualTrigger, node, workflow } from '../test/n8n/workflow.cts';
import { messageFrom, RIVALS, ROWS, type Place, type RivalName } from './rivals.cts';
import type { Scenario } from './scenarios.cts';

const NODES = ['BenchRows', 'BenchDeclarative', 'BenchFloor'];
const CREDENTIALS = ['BenchApi', 'BenchKeyApi'];

export type Environment = Awaited<ReturnType<typeof openEnvironment>>;

export async function openEnvironment({ nodeArgs }: { nodeArgs?: string[] } = {}) {
	const { folder, remove } = await temporaryFolder('bench-');
	await installRivals(path.join(folder, '.n8n/nodes/node_modules/n8n-nodes-bench'));
	const tls = await certificate();
	const file = path.join(folder, 'certificate.pem');
	fs.writeFileSync(file, tls.cert);

	const n8n = await startN8n({ home: folder, nodeArgs, env: { NODE_EXTRA_CA_CERTS: file } });
	const client = await signIn(n8n.url);
	const open = async (options: { tls?: typeof tls }) => {
		const service = await startSandboxProcess({ keepBodies: false, ...options });
		return { service, place: await placeOf(client, service) };
	};
	const plain = await open({});
	const secure = await open({ tls });
	const of = ({ kind }: Scenario) => (kind === 'tls' ? secure : plain);

	return {
		n8n,
		signIn: () => signIn(n8n.url),
		serviceOf: (scenario: Scenario) => of(scenario).service,
		/** A list of customers, and one rival that sends to all of them; nothing after it. */
		workflowFor(rival: RivalName, scenario: Scenario) {
			const { kind, size, inFlight } = scenario;
			const message = messageFrom(kind === 'reference' ? `$('${ROWS}').item.json` : '$json');
			return workflow(`${rival} ${kind} ${size}`, [
				manualTrigger(),
				node(ROWS, 'n8n-nodes-bench.benchRows', 1, { count: size }),
				RIVALS[rival].wire(message, of(scenario).place, inFlight),
			]);
		},
		async stop() {
			await n8n.stop();
			await plain.service.stop();
			await secure.service.stop();
			await remove();
		},
	};
}

/** Where n8n looks for community packages: a file for each node, as n8n wants it, over one bundle. */
async function installRivals(folder: string) {
	await build({
		entryPoints: [path.join(__dirname, 'nodes.cts')],
		outfile: path.join(folder, 'nodes.js'),
		bundle: true,
		platform: 'node',
		format: 'cjs',
	});
	const save = (file: string, content: string) =>
		fs.writeFileSync(path.join(folder, file), content);
	const part = (name: string, kind: 'node' | 'credentials') => {
		save(`${name}.${kind}.js`, `exports.${name} = require('./nodes.js').${name};`);
		return `${name}.${kind}.js`;
	};
	const n8n = {
		n8nNodesApiVersion: 1,
		nodes: NODES.map((name) => part(name, 'node')),
		credentials: CREDENTIALS.map((name) => part(name, 'credentials')),
	};
	save('package.json', JSON.stringify({ name: 'n8n-nodes-bench', version: '0.0.0', n8n }));
}

async function certificate() {
	const names = [{ name: 'commonName', value: 'bench' }];
	const altNames = [{ type: 7 as const, ip: '127.0.0.1' }];
	const { private: key, cert } = await generate(names, {
		keyType: 'ec',
		extensions: [
			{ name: 'basicConstraints', cA: true },
			{ name: 'subjectAltName', altNames },
		],
	});
	return { key, cert };
}

/** The service with the credentials that each rival needs for it. */
async function placeOf(client: Client, service: SandboxProcess): Promise<Place> {
	const { url, headerName, apiKey } = service;
	const create = async (type: string, data: object) => {
		const { id, name } = await client.createCredential({ name: `${type} ${url}`, type, data });
		return { id, name };
	};
	const fields = { baseUrl: url, apiKeyHeader: headerName, apiKey };
	return {
		url,
		credentials: {
			ours: await create('outboundMessagingApi', fields),
			bench: await create('benchApi', fields),
			benchKey: await create('benchKeyApi', fields),
			header: await create('httpHeaderAuth', { name: headerName, value: apiKey }),
		},
	};
}
