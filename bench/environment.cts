/** One n8n with all rivals installed, and the service next to it, with and without TLS. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { temporaryFolder } from '../scripts/lib/temporaryFolder.cts';
import { startSandboxProcess, type SandboxProcess } from '../sandbox/process.cts';
import { signIn, type Client } from '../test/n8n/client.cts';
import { startN8n } from '../test/n8n/instance.cts';
import { graph, links, manualTrigger, node } from '../test/n8n/workflow.cts';
import {
	messageFrom,
	RIVALS,
	ROWS,
	type Place,
	type RivalName,
	type Scenario,
} from './scenarios.cts';

const NODES = ['BenchRows', 'BenchDeclarative', 'BenchFloor'];
const CREDENTIALS = ['BenchApi', 'BenchHeaderApi'];

export type Environment = Awaited<ReturnType<typeof openEnvironment>>;

export async function openEnvironment() {
	const { folder, remove } = temporaryFolder('bench-');
	await installRivals(path.join(folder, '.n8n/nodes/node_modules/n8n-nodes-bench'));
	const { file, ...tls } = certificate(folder);

	const n8n = await startN8n({ home: folder, env: { NODE_EXTRA_CA_CERTS: file } });
	const client = await signIn(n8n.url);
	const open = async (options: { tls?: typeof tls }) => {
		const service = await startSandboxProcess({ keepBodies: false, ...options });
		return { service, place: await placeOf(client, service) };
	};
	const plain = await open({});
	const secure = await open({ tls });
	const of = ({ tls: isSecure }: Scenario) => (isSecure ? secure : plain);

	return {
		n8n,
		signIn: () => signIn(n8n.url),
		serviceOf: (scenario: Scenario) => of(scenario).service,
		/**
		 * A list of customers, and one rival that sends to all of them, in a loop or with
		 * nothing after it.
		 */
		workflowFor(rival: RivalName, scenario: Scenario) {
			const { title, size, row, runs } = scenario;
			const rows = node(ROWS, 'n8n-nodes-bench.benchRows', 1, { count: size * (runs ?? 1) });
			const list = [manualTrigger(), rows];
			const sender = RIVALS[rival].wire(messageFrom(row), of(scenario).place);
			const loop = node('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: size });
			const name = `${title}: ${rival}`;
			if (runs === undefined) return graph(name, [...list, sender], links([...list, sender]));

			const turns = [...links([loop, sender], { output: 1 }), ...links([sender, loop])];
			return graph(name, [...list, loop, sender], [...links([...list, loop]), ...turns]);
		},
		async stop() {
			await n8n.stop();
			await plain.service.stop();
			await secure.service.stop();
			remove();
		},
	};
}

/**
 * Where n8n looks for community packages: a file for each node, as n8n wants it, over one bundle.
 */
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

/** For this machine, and for one day. */
function certificate(folder: string) {
	const [keyFile, file] = ['key.pem', 'certificate.pem'].map((name) => path.join(folder, name));
	const subject = ['-subj', '/CN=bench', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1'];
	const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
	const files = ['-keyout', keyFile, '-out', file];
	execFileSync('openssl', ['req', '-x509', ...key, ...files, ...subject], { stdio: 'pipe' });
	return { file, key: fs.readFileSync(keyFile, 'utf8'), cert: fs.readFileSync(file, 'utf8') };
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
			header: await create('httpHeaderAuth', { name: headerName, value: apiKey }),
		},
	};
}
