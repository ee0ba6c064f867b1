/** One execution with a long list on one worker: its lock, its memory, and what it leaves to its neighbours. */
const { allEnded, post, startsOf } = require('../lib/executions');
const { answerTime, memoryOf, watch } = require('../lib/watch');
const { customers } = require('../workflows');

const NEIGHBOUR_EVERY_MS = 1_000;
const TIMEOUT_MS = 600_000;

/** @param {{ sizes: number[] }} size messages of one execution, in ascending order */
async function large(cluster, make, { sizes }) {
	const big = await make.list('One long list');
	const small = await make.list('Neighbour');
	const rows = [];
	let neighbours = 0;
	for (const messages of sizes) {
		const row = await one(cluster, { big, small, messages, before: rows.length, neighbours });
		neighbours = row.neighboursInAll;
		rows.push(row);
	}
	return rows;
}

async function one(cluster, { big, small, messages, before, neighbours }) {
	const { sandbox, database, webhook, workers, redis } = cluster;
	await sandbox.reset();
	const databaseBefore = await database.size();
	const memory = watchWorkers(workers);
	await post(webhook.url, big.path, { customers: customers(messages) });

	const place = await findWorker(database, big, workers, before);
	const lock = watch(async () => await redis.pttl(`bull:jobs:${place.job}:lock`), 500);
	const answers = watch(async () => await answerTime(place.worker.url), 50);
	let called = neighbours;
	const crowd = watch(async () => {
		const customer = customers(1, 900_000 + called);
		await post(webhook.url, small.path, { customers: customer });
		called++;
	}, NEIGHBOUR_EVERY_MS);

	const [ended, locks, answerTimes] = await (async () => {
		try {
			const executions = await allEnded(database, big.id, before + 1, { timeoutMs: TIMEOUT_MS });
			return [executions.at(-1), await lock.end(), await answers.end()];
		} finally {
			await Promise.all([lock.end(), answers.end(), crowd.end()]);
		}
	})();
	const others = (await allEnded(database, small.id, called)).slice(neighbours);
	const megabytes = (await memory.end())[workers.indexOf(place.worker)];

	const starts = startsOf(workers);
	const beside = others.filter(
		({ id, startedAt }) =>
			starts.get(String(id))?.[0] === place.worker && startedAt < ended.stoppedAt,
	);
	const { deliveries } = await sandbox.ledger();
	const list = customers(messages);
	return {
		messages,
		status: ended.status,
		once: list.filter(({ customerId }) => deliveries.get(customerId) === 1).length,
		starts: starts.get(String(ended.id)).length,
		seconds: (ended.stoppedAt - ended.startedAt) / 1000,
		// The key is gone once the job has ended, which can be before the execution is marked.
		leastLockMs: Math.min(...locks.filter((left) => left >= 0)),
		locksSeen: locks.filter((left) => left >= 0).length,
		longestSilenceMs: Math.round(Math.max(...answerTimes)),
		neighboursBeside: beside.length,
		slowestNeighbourMs: Math.max(0, ...beside.map((each) => each.stoppedAt - each.startedAt)),
		neighboursFailed: others.filter(({ status }) => status !== 'success').length,
		neighboursInAll: called,
		megabytesBefore: megabytes[0],
		megabytesPeak: Math.max(...megabytes),
		databaseMegabytes: ((await database.size()) - databaseBefore) / 2 ** 20,
	};
}

/** Memory of each worker over time, one list for each. */
function watchWorkers(workers) {
	const watches = workers.map(({ pid }) => watch(() => memoryOf(pid), 200));
	return { end: async () => await Promise.all(watches.map(async (each) => await each.end())) };
}

async function findWorker(database, workflow, workers, before) {
	const { poll } = require('../../../scripts/lib/child.cts');
	return await poll(
		async () => {
			const [row] = (
				await database.query(
					`SELECT id FROM execution_entity WHERE "workflowId" = $1 ORDER BY id`,
					[workflow.id],
				)
			).slice(before);
			if (!row) return undefined;
			for (const worker of workers) {
				const line = new RegExp(`Worker started execution ${row.id} \\(job (\\d+)\\)`);
				const [, job] = worker.output().match(line) ?? [];
				if (job) return { worker, job };
			}
			return undefined;
		},
		{ what: 'a worker to take the long list', timeoutMs: 60_000 },
	);
}

module.exports = { large };
