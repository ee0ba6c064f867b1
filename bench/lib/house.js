/** One n8n with all contestants installed, and the service beside it. */
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const paths = require('../../scripts/lib/paths.cts');
const { signIn } = require('../../test/n8n/client.cts');
const { startN8n } = require('../../test/n8n/instance.cts');
const { manualTrigger, node, workflow } = require('../../test/n8n/workflow.cts');
const { selfSigned } = require('./certificate');
const { CONTESTANTS } = require('./contestants');
const { startService } = require('./service');
const { WORK } = require('./work');

/**
 * @param {{ env?: NodeJS.ProcessEnv, withTls?: boolean }} [options]
 */
async function openHouse({ env, withTls = false } = {}) {
	const home = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-'));
	process.once('exit', () => fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
	installContestants(home);
	const tls = selfSigned();
	const certificate = path.join(home, 'certificate.pem');
	fs.writeFileSync(certificate, tls.cert);

	const n8n = await startN8n({ home, env: { NODE_EXTRA_CA_CERTS: certificate, ...env } });
	const plain = await place(n8n, await startService());
	const secure = withTls ? await place(n8n, await startService(tls)) : undefined;

	return {
		n8n,
		/** @param {import('./matrix').Case} each */
		placeOf: (each) => (each.special === 'tls' ? secure : plain),
		client: () => signIn(n8n.url),
		async stop() {
			await n8n.stop();
			await plain.service.stop();
			await secure?.service.stop();
		},
	};
}

/** Beside ours, where n8n looks for community packages. */
function installContestants(home) {
	const target = path.join(home, '.n8n/nodes/node_modules/n8n-nodes-bench');
	fs.cpSync(path.join(__dirname, '../contestants'), target, { recursive: true });
}

/** The service with the credentials that each contestant needs for it. */
async function place(n8n, service) {
	const client = await signIn(n8n.url);
	const { url, headerName, apiKey } = service;
	const create = async (type, data) => {
		const { id, name } = await client.createCredential({ name: `${type} ${url}`, type, data });
		return { id, name };
	};
	const fields = { baseUrl: url, apiKeyHeader: headerName, apiKey };
	return {
		service,
		url,
		inFlight: ourDefault(),
		credentials: {
			ours: await create('outboundMessagingApi', fields),
			bench: await create('benchApi', fields),
			header: await create('httpHeaderAuth', { name: headerName, value: apiKey }),
		},
	};
}

/** How many messages our node has in flight when nobody says otherwise. */
function ourDefault() {
	const { OutboundMessaging } = require(
		path.join(paths.root, 'dist/nodes/OutboundMessaging/OutboundMessaging.node.js'),
	);
	const { properties } = new OutboundMessaging().description;
	const { options } = properties.find(({ name }) => name === 'options');
	return options.find(({ name }) => name === 'maxConcurrency').default;
}

/** A list of customers, and one contestant that sends to all of them; nothing after it. */
function workflowFor(contestant, { work, size, special }, itsPlace) {
	return workflow(`${contestant} ${work} ${size}`, [
		manualTrigger(),
		node('Rows', 'n8n-nodes-bench.benchItems', 1, { count: size }),
		CONTESTANTS[contestant].wire(WORK[work], itsPlace, { dryRun: special === 'dry' }),
	]);
}

module.exports = { openHouse, workflowFor };
