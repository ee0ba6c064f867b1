/** A customer list over many executions: each customer gets exactly one message. */
const { allEnded, countBy, post } = require('../lib/executions');
const { memoryOf } = require('../lib/watch');
const { asBatches, customers, inParts } = require('../workflows');

/** The sandbox refuses these customers once; every batch holds one of them. */
const FAILING = {
	/** Customers that a wrong template or a closed window would refuse at first. */
	fault: (list, batch) => ({
		what: 'status',
		status: 400,
		body: { error: 'Not yet', code: 'not_yet', success: false },
		when: {
			recipient: inParts(list, batch).map((part) => part[Math.floor(part.length / 2)].customerId),
			perRecipientFirst: 1,
		},
	}),
	/** n8n's own settings of the node. */
	settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 },
};

const RATE_LIMITS = [{ what: 'rateLimit', retryAfter: 1, when: { probability: 0.05, seed: 7 } }];

/**
 * @param {object} size
 * @param {number} size.executions
 * @param {number} size.perExecution messages of one execution
 * @param {number} size.batch messages of one call of the sub-workflow
 */
async function exactlyOnce(cluster, make, size) {
	return await send(cluster, await make.batches('Plain'), size, () => []);
}

async function withRateLimits(cluster, make, size) {
	return await send(cluster, await make.batches('429'), size, () => RATE_LIMITS);
}

async function withRetries(cluster, make, size) {
	const workflow = await make.batches('Retry On Fail', { settings: FAILING.settings });
	return await send(cluster, workflow, size, (list) => [FAILING.fault(list, size.batch)]);
}

async function send({ sandbox, database, webhook, workers }, workflow, size, faultsFor) {
	const { executions, perExecution, batch, steps = 1 } = size;
	const list = customers(executions * perExecution);
	const calls = inParts(list, perExecution).map((part) => asBatches(part, batch));
	await sandbox.reset(faultsFor(list));

	const growth = [];
	const began = performance.now();
	const before = await database.size();
	let ended = [];
	for (const step of inParts(calls, Math.ceil(calls.length / steps))) {
		for (const call of step) await post(webhook.url, workflow.path, call);
		ended = await allEnded(database, workflow.id, ended.length + step.length);
		growth.push({
			messages: ended.length * perExecution,
			seconds: (performance.now() - began) / 1000,
			databaseMegabytes: ((await database.size()) - before) / 2 ** 20,
			workerMegabytes: Math.max(...workers.map(({ pid }) => memoryOf(pid))),
		});
	}

	const { deliveries } = await sandbox.ledger();
	const { received, byStatus, duplicates } = await sandbox.summary();
	return {
		messages: list.length,
		executions,
		statuses: countBy(ended, ({ status }) => status),
		once: list.filter(({ customerId }) => deliveries.get(customerId) === 1).length,
		missing: list.filter(({ customerId }) => !deliveries.has(customerId)).length,
		duplicates,
		requests: received,
		byStatus,
		growth,
	};
}

module.exports = { exactlyOnce, withRateLimits, withRetries };
