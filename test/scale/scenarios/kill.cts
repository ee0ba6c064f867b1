/** A worker dies in mid-batch and another one comes: what n8n does with its jobs, and what becomes of the messages. */
import type { Cluster } from '../cluster.cts';
import type { Execution } from '../../n8n/execution.cts';
import { countBy, reached, startsOf, untilAccepted, type CalledWorkflow } from '../executions.cts';
import { size } from '../sizes.cts';
import { customers, inBatches, type Customer } from '../workflows.cts';

/** Longer than n8n needs to notice (see settings.cts). */
const NOTICED_MS = 150_000;

export async function kill({ sandbox, client, workers, make, ...cluster }: Cluster) {
	const { executions, batch, latency } = size.kill;
	const messages = executions * batch * 2;
	const callsOf = (list: Customer[]) => inBatches(list, batch * 2, batch);
	const options = { maxConcurrency: 5 };
	const plain = await make.batches('Killed, no key', { options });
	const plainList = customers(messages, 1_000_000);
	const keyed = await make.batches('Killed, keys', {
		// What was in flight is waited for as long as a message can take, and is uncertain then.
		options: { ...options, timeout: 10_000, rateLimitWait: 5 },
		safeguards: { sendOnceKey: '={{ $json.key }}' },
		// In stop mode an uncertain message would keep the later batches of its call from being sent.
		settings: { onError: 'continueRegularOutput' },
	});
	const keyedList = customers(messages, 2_000_000);
	await sandbox.reset([{ what: 'latency', ms: latency }]);
	for (const [index, plainCall] of callsOf(plainList).entries()) {
		const keyedCall = callsOf(keyedList)[index];
		// Two workers take jobs in turn: so that both get both kinds, the order changes each time.
		if (index % 2 === 0) await plain.call(plainCall);
		await keyed.call(keyedCall);
		if (index % 2 === 1) await plain.call(plainCall);
	}

	await untilAccepted(sandbox, messages * 2 * 0.25);
	const [victim] = workers;
	await cluster.removeWorker(victim, 'SIGKILL');
	const killedAt = new Date();
	await cluster.addWorker();

	/** What n8n says of the jobs that died, who got a message up to now, and after Retry in the executions list for each of them. */
	const judge = async (workflow: CalledWorkflow, list: Customer[]) => {
		await workflow.ended(executions, NOTICED_MS).catch(() => {});
		const rows = await workflow.executions();
		const starts = startsOf([victim, ...workers]);
		const dead = rows.filter(
			({ id, stoppedAt }) =>
				starts.find((start) => start.id === id)?.worker === victim &&
				!(stoppedAt && stoppedAt < killedAt),
		);
		const others = rows.filter((row) => !dead.includes(row));
		const noticed = dead.map(({ stoppedAt }) => (stoppedAt.getTime() - killedAt.getTime()) / 1000);
		const afterDeath = await reached(sandbox, list);
		const retried: Execution[] = [];
		for (const { id } of dead) {
			retried.push(await client.retry(String(id), { timeoutMs: 120_000 }));
		}
		return {
			messages,
			deadExecutions: dead.length,
			deadStatuses: countBy(dead, 'status'),
			otherStatuses: countBy(others, 'status'),
			startedTwice: starts.length - new Set(starts.map(({ id }) => id)).size,
			noticedAfterSeconds: Math.max(...noticed),
			afterDeath,
			retry: countBy(retried, 'status'),
			afterRetry: await reached(sandbox, list),
		};
	};
	const withoutKey = await judge(plain, plainList);
	const withKey = await judge(keyed, keyedList);

	// The same webhook calls once more: without keys they would send all of it again.
	const before = (await keyed.executions()).length;
	await keyed.call(...callsOf(keyedList));
	await keyed.ended(before + executions);
	return {
		withoutKey,
		withKey: { ...withKey, afterSecondCall: await reached(sandbox, keyedList) },
	};
}
