/**
 * What a Send Once Key costs as the list of stored keys grows, and how long n8n answers nobody meanwhile.
 *
 *   node bench/sendOnce.js              0, 10,000 and 100,000 stored keys
 *   node bench/sendOnce.js 0,5000       other numbers
 *
 * n8n keeps the keys of a node as one list in one row, which every claim reads and writes as a whole.
 */
const { createHash } = require('node:crypto');
const path = require('node:path');
const { promisify } = require('node:util');
const { poll } = require('../scripts/lib/child.cts');
const { signIn } = require('../test/n8n/client.cts');
const { startN8n } = require('../test/n8n/instance.cts');
const { items, manualTrigger, outboundMessaging, workflow } = require('../test/n8n/workflow.cts');
const { startService } = require('./lib/service');
const { watch } = require('./lib/watch');

const NODE = 'Outbound Messaging';
const LATENCY_MS = 50;
const ROUNDS = 3;
const SINGLES = 15;
const SIZES = [1, 500];

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function main(stored) {
	const service = await startService();
	const n8n = await startN8n();
	try {
		const client = await signIn(n8n.url);
		const { url: baseUrl, headerName: apiKeyHeader, apiKey } = service;
		const { id: credentialId } = await client.createCredential({
			name: NODE,
			type: 'outboundMessagingApi',
			data: { baseUrl, apiKeyHeader, apiKey },
		});
		const bench = { service, n8n, client, credentialId };
		console.log(
			`Service at ${LATENCY_MS} ms; medians of ${ROUNDS} rounds (${SINGLES} for one item).`,
		);
		console.log('  stored keys  items   in the node (ms)   n8n silent for (ms)');
		for (const size of SIZES) {
			await measure(bench, { size, label: 'no key' });
			for (const count of stored) await measure(bench, { size, count, label: String(count) });
		}
	} finally {
		await n8n.stop();
		await service.stop();
	}
}

/** Prints one line: how long the node took, and the longest time that a health check waited. */
async function measure(bench, { size, count, label }) {
	const rounds = [];
	const total = size === 1 ? SINGLES : ROUNDS;
	const { client, service } = bench;
	const list = Array.from({ length: size }, (_, item) => ({ customer: 1000 + item }));
	const sender = outboundMessaging({
		credentialId: bench.credentialId,
		parameters: {
			operation: 'sendText',
			customerId: '={{ $json.customer }}',
			text: 'Hello',
			safeguards:
				count === undefined ? {} : { sendOnceKey: '={{ $execution.id }}-{{ $itemIndex }}' },
		},
	});
	const { id } = await client.createWorkflow(
		workflow('Send once', [manualTrigger(), items(list), sender]),
	);
	for (let round = 0; round <= total; round++) {
		if (count !== undefined) await storeKeys(bench.n8n.home, id, sender.id, count);
		await service.prepare(LATENCY_MS);
		const watching = watch(bench.n8n);
		const from = Date.now();
		const run = { id: await client.start(id) };
		// Asking n8n for the execution while it runs would be work of its own.
		const allThere = async () => (await service.summary()).received >= size;
		await poll(allThere, { timeoutMs: 300_000, what: 'all messages' });
		const execution = await client.waitForExecution(run.id, { timeoutMs: 300_000 });
		const { silentMs } = (await watching.stop())({ from, to: Date.now() });
		const { accepted } = await service.summary();
		if (accepted !== size) throw new Error(`${accepted} of ${size} were accepted`);
		rounds.push({ ms: execution.executionTime(NODE), silentMs });
	}
	const [ms, silent] = ['ms', 'silentMs'].map((name) =>
		// The first round warms up.
		Math.round(median(rounds.slice(1).map((each) => each[name]))),
	);
	console.log(
		[label.padStart(13), String(size).padStart(6), String(ms).padStart(18)].join(' ') +
			String(silent).padStart(22),
	);
}

/** Puts that many keys into n8n's store, as if they had been claimed before. */
async function storeKeys(home, workflowId, nodeId, count) {
	const { Database } = require('../test/n8n/node_modules/sqlite3');
	const hash = (text) => createHash('md5').update(text).digest('base64');
	const data = Array.from({ length: count }, (_, index) => hash(`stored ${index}`));
	const database = new Database(path.join(home, '.n8n/database.sqlite'));
	const run = promisify(database.run.bind(database));
	try {
		database.configure('busyTimeout', 10_000);
		await run('DELETE FROM processed_data WHERE workflowId = ?', workflowId);
		if (count === 0) return;
		await run(
			`INSERT INTO processed_data (workflowId, context, createdAt, updatedAt, value)
			 VALUES (?, ?, datetime('now'), datetime('now'), ?)`,
			workflowId,
			`n:${nodeId}`,
			JSON.stringify({ mode: 'entries', data }),
		);
	} finally {
		await promisify(database.close.bind(database))();
	}
}

main((process.argv[2] ?? '0,10000,100000').split(',').map(Number)).catch((error) => {
	console.error(error);
	process.exitCode = 1;
});
