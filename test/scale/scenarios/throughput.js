/** The same work with two workers, with one, and with main alone: ratios of one run on one machine. */
const { allEnded, post } = require('../lib/executions');
const { signIn } = require('../../n8n/client.cts');
const { asBatches, customers, inParts, workflowMaker } = require('../workflows');

/** @param {{ executions: number, perExecution: number, batch: number }} size */
async function throughput(cluster, make, size) {
	const { database, webhook, workers, sandbox } = cluster;
	const workflow = await make.batches('Throughput');
	const measured = {};

	const safeguards = { sendOnceKey: '={{ $json.key }}' };
	const keyed = await make.batches('Throughput with keys', { safeguards });
	const place = { url: webhook.url, database, workflow: keyed, sandbox };
	measured.twoWorkersWithKeys = await (await measureIn(place, size))();

	const pace = await measureIn({ url: webhook.url, database, workflow, sandbox }, size);
	measured.twoWorkers = await pace();
	await cluster.removeWorker(workers.at(-1));
	measured.oneWorker = await pace();

	const alone = await cluster.startAlone();
	try {
		const client = await signIn(alone.url);
		const own = await (await workflowMaker(client, sandbox)).batches('Throughput');
		const where = { url: alone.url, database: alone.database, workflow: own, sandbox };
		measured.mainAlone = await (await measureIn(where, size))();
	} finally {
		await alone.stop();
	}
	return {
		messagesPerSecond: measured,
		keysToNone: measured.twoWorkersWithKeys / measured.twoWorkers,
		twoWorkersToOne: measured.twoWorkers / measured.oneWorker,
		oneWorkerToMainAlone: measured.oneWorker / measured.mainAlone,
	};
}

/** A first round warms everything up; it is not measured. */
async function measureIn(
	{ url, database, workflow, sandbox },
	{ executions, perExecution, batch },
) {
	let ended = 0;
	const round = async (count) => {
		// Others each time: their keys are new.
		const list = customers(count * perExecution, 5_000_000 + ended * perExecution);
		const calls = inParts(list, perExecution);
		await sandbox.reset();
		const began = Date.now();
		for (const part of calls) await post(url, workflow.path, asBatches(part, batch));
		ended += count;
		await allEnded(database, workflow.id, ended);
		const { entries } = await sandbox.ledger();
		const last = Math.max(...entries.map(({ endedAt }) => endedAt));
		const accepted = entries.filter((entry) => entry.accepted).length;
		if (accepted !== count * perExecution) throw new Error(`${accepted} messages were accepted`);
		return accepted / ((last - began) / 1000);
	};
	await round(4);
	return async () => await round(executions);
}

module.exports = { throughput };
