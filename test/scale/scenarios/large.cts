/** One execution with a long list on one worker: its lock, its memory, and whether the worker still responds. */
import { poll } from '../../../scripts/lib/child.cts';
import type { Cluster } from '../cluster.cts';
import { allEnded, executionsOf, post, reached, startsOf } from '../lib/executions.cts';
import { answerTime, memoryOf, watch } from '../lib/watch.cts';
import type { Sizes } from '../sizes.cts';
import { customers, type WorkflowMaker } from '../workflows.cts';

export async function large(
	cluster: Cluster,
	make: WorkflowMaker,
	{ messages, latency }: Sizes['large'],
) {
	const workflow = await make.list('One long list');
	await cluster.sandbox.reset([{ what: 'latency', ms: latency }]);
	const rows: Array<Awaited<ReturnType<typeof one>>> = [];
	for (const [index, count] of messages.entries()) {
		const list = customers(count, 6_000_000 + index * 100_000);
		rows.push(await one(cluster, { ...workflow, list, before: rows.length }));
	}
	return rows;
}

interface Task {
	id: string;
	path: string;
	list: ReturnType<typeof customers>;
	/** Executions of the workflow so far. */
	before: number;
}

async function one(
	{ sandbox, database, webhook, workers, redis }: Cluster,
	{ id: workflowId, path, list, before }: Task,
) {
	const databaseBefore = await database.size();
	const memoryBefore = workers.map(({ pid }) => memoryOf(pid));
	await post(webhook.url, path, { customers: list });
	const { worker, job } = await poll(
		async () => {
			const execution = (await executionsOf(database, workflowId)).at(before);
			const line = new RegExp(`Worker started execution ${execution?.id} \\(job (\\d+)\\)`);
			const found = workers.find((each) => line.test(each.output()));
			return found && { worker: found, job: line.exec(found.output())![1] };
		},
		{ what: 'a worker to take the long list' },
	);

	const lock = watch(async () => await redis.pttl(`bull:jobs:${job}:lock`), 500);
	const answers = watch(async () => await answerTime(worker.url), 50);
	const memory = watch(() => memoryOf(worker.pid), 200);
	const ending = allEnded(database, workflowId, before + 1, { timeoutMs: 600_000 });
	// They end whatever becomes of the execution.
	await Promise.allSettled([ending]);
	const [locks, answerTimes, megabytes] = [
		await lock.end(),
		await answers.end(),
		await memory.end(),
	];
	const ended = (await ending).at(-1)!;
	// The key is gone once the job has ended, which can be before the execution is marked.
	const locksSeen = locks.filter((left) => left >= 0);
	return {
		messages: list.length,
		status: ended.status,
		once: (await reached(sandbox, list)).once,
		starts: startsOf(workers).get(String(ended.id))!.length,
		seconds: (ended.stoppedAt.getTime() - ended.startedAt.getTime()) / 1000,
		leastLockMs: Math.min(...locksSeen),
		locksSeen: locksSeen.length,
		longestSilenceMs: Math.round(Math.max(...answerTimes)),
		megabytesBefore: memoryBefore[workers.indexOf(worker)],
		megabytesPeak: Math.max(...megabytes),
		databaseMegabytes: ((await database.size()) - databaseBefore) / 2 ** 20,
	};
}
