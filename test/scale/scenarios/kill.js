/** A worker dies in mid-batch and another one comes: what n8n does with its jobs, and what becomes of the messages. */
const { poll } = require('../../../scripts/lib/child.cts');
const { allEnded, countBy, executionsOf, post, startsOf } = require('../lib/executions');
const { asBatches, customers, inParts } = require('../workflows');

/** Longer than n8n needs to notice (see settings.js). */
const NOTICED_MS = 150_000;

/**
 * @param {object} size
 * @param {number} size.executions of each kind, with keys and without
 * @param {number} size.batch
 * @param {number} size.latency ms of the service
 */
async function kill(cluster, make, { executions, batch, latency }) {
	const { sandbox, webhook, workers } = cluster;
	const options = { maxConcurrency: 5 };
	const kinds = {
		withoutKey: await kind(make.batches('Killed, no key', { options }), 1_000_000),
		withKey: await kind(
			make.batches('Killed, keys', {
				// What was in flight is waited for as long as a message can take, and is uncertain then.
				options: { ...options, timeout: 10_000, rateLimitWait: 5 },
				safeguards: { sendOnceKey: '={{ $json.key }}' },
				// In stop mode an uncertain message would keep the later batches of its call from being sent.
				settings: { onError: 'continueRegularOutput' },
			}),
			2_000_000,
		),
	};
	for (const each of Object.values(kinds)) {
		each.list = customers(executions * batch * 2, each.from);
		each.calls = inParts(each.list, batch * 2).map((part) => asBatches(part, batch));
	}
	await sandbox.reset([{ what: 'latency', ms: latency }]);
	for (let index = 0; index < executions; index++) {
		// Two workers take jobs in turn: so that both get both kinds, the order changes each time.
		const order = Object.values(kinds);
		if (index % 2 === 1) order.reverse();
		for (const { path, calls } of order) await post(webhook.url, path, calls[index]);
	}

	const all = executions * batch * 2 * 2;
	await poll(async () => (await sandbox.summary()).accepted > all * 0.25, {
		what: 'a quarter of the messages to be sent',
	});
	const [victim] = workers;
	await cluster.removeWorker(victim, { signal: 'SIGKILL' });
	const killedAt = new Date();
	await cluster.addWorker();

	for (const each of Object.values(kinds)) {
		await afterDeath(cluster, each, { executions, victim, killedAt });
	}
	for (const each of Object.values(kinds)) await resume(cluster, each);
	return Object.fromEntries(Object.entries(kinds).map(([name, each]) => [name, each.figures]));
}

const kind = async (making, from) => ({ ...(await making), from, figures: {} });

/** What n8n says of the jobs that died, and who got a message up to now. */
async function afterDeath(cluster, each, { executions, victim, killedAt }) {
	const { database, workers } = cluster;
	await allEnded(database, each.id, executions, { timeoutMs: NOTICED_MS }).catch(() => {});
	const rows = await executionsOf(database, each.id);
	const starts = startsOf([victim, ...workers]);
	const dead = rows.filter(
		({ id, stoppedAt }) =>
			starts.get(String(id))?.[0] === victim && !(stoppedAt && stoppedAt < killedAt),
	);
	each.dead = dead;
	const noticed = dead.map(({ stoppedAt }) => (stoppedAt - killedAt) / 1000);
	Object.assign(each.figures, {
		messages: each.list.length,
		deadExecutions: dead.length,
		deadStatuses: countBy(dead, ({ status }) => status),
		otherStatuses: countBy(
			rows.filter((row) => !dead.includes(row)),
			({ status }) => status,
		),
		startedTwice: [...starts.values()].filter((places) => places.length > 1).length,
		noticedAfterSeconds: { least: Math.min(...noticed), most: Math.max(...noticed) },
		afterDeath: await reached(cluster, each),
	});
}

/** Two ways to go on: Retry in the executions list, and the same webhook calls once more. */
async function resume(cluster, each) {
	const { client, database, webhook } = cluster;
	const words = async (running) => {
		const { status, error } = await running;
		return error ? `${status}: ${error.message}` : status;
	};
	const reasons = [];
	const answers = [];
	for (const { id } of each.dead) {
		reasons.push(await words(client.execution(id)));
		answers.push(await words(client.retry(id, { timeoutMs: 120_000 })));
	}
	each.figures.reasons = countBy(reasons, (reason) => reason);
	each.figures.retry = countBy(answers, (answer) => answer);
	each.figures.afterRetry = await reached(cluster, each);

	if (each.from < 2_000_000) return;
	const before = (await executionsOf(database, each.id)).length;
	for (const call of each.calls) await post(webhook.url, each.path, call);
	await allEnded(database, each.id, before + each.calls.length);
	each.figures.afterSecondCall = await reached(cluster, each);
}

async function reached({ sandbox }, { list }) {
	const { deliveries } = await sandbox.ledger();
	const times = list.map(({ customerId }) => deliveries.get(customerId) ?? 0);
	return {
		once: times.filter((count) => count === 1).length,
		missing: times.filter((count) => count === 0).length,
		doubles: times.filter((count) => count > 1).length,
	};
}

module.exports = { kill };
