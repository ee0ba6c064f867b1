/** Messages per second of the same work with two workers, with and without keys, and with one. */
import type { Cluster } from '../cluster.cts';
import { sizes } from '../sizes.cts';
import { customers, inBatches, type Sending } from '../workflows.cts';

export async function throughput(cluster: Cluster) {
	const keyed = { safeguards: { sendOnceKey: '={{ $json.key }}' } };
	const twoWorkersWithKeys = await pace(cluster, keyed);
	const twoWorkers = await pace(cluster);
	await cluster.setWorkers(1);
	const oneWorker = await pace(cluster);
	return { messagesPerSecond: { twoWorkersWithKeys, twoWorkers, oneWorker } };
}

/** A first round warms everything up; it doesn't count. */
async function pace({ sandbox, make }: Cluster, how?: Sending) {
	const { executions, perExecution, batch } = sizes.full.throughput;
	const workflow = await make.batches('Throughput', how);
	let ended = 0;
	const round = async (count: number) => {
		// Others each time: their keys are new.
		const list = customers(count * perExecution, 5_000_000 + ended * perExecution);
		await sandbox.reset();
		const began = Date.now();
		await workflow.call(...inBatches(list, perExecution, batch));
		ended += count;
		await workflow.ended(ended);
		const { entries } = await sandbox.ledger();
		const last = Math.max(...entries.map(({ endedAt }) => endedAt!));
		const accepted = entries.filter((entry) => entry.accepted).length;
		if (accepted !== list.length) throw new Error(`${accepted} messages were accepted`);
		return accepted / ((last - began) / 1000);
	};
	await round(4);
	return await round(executions);
}
