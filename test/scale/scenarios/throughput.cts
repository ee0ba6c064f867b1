/** The same work with two workers, with one, and with main alone: ratios of one run on one machine. */
import type { Cluster } from '../cluster.cts';
import { sizes } from '../sizes.cts';
import { customers, inBatches, type Sending, type WorkflowMaker } from '../workflows.cts';

export async function throughput({ sandbox, make, ...cluster }: Cluster) {
	const safeguards = { sendOnceKey: '={{ $json.key }}' };
	const twoWorkersWithKeys = await (await warmedUp(sandbox, make, { safeguards }))();

	const pace = await warmedUp(sandbox, make);
	const twoWorkers = await pace();
	await cluster.setWorkers(1);
	const oneWorker = await pace();

	const alone = await cluster.startAlone();
	const mainAlone = await (await warmedUp(sandbox, alone.make))();
	await alone.stop();
	return {
		messagesPerSecond: { twoWorkersWithKeys, twoWorkers, oneWorker, mainAlone },
		keysToNone: twoWorkersWithKeys / twoWorkers,
		twoWorkersToOne: twoWorkers / oneWorker,
		oneWorkerToMainAlone: oneWorker / mainAlone,
	};
}

/** A first round warms everything up; it doesn't count. @returns measures one */
async function warmedUp(sandbox: Cluster['sandbox'], make: WorkflowMaker, how?: Sending) {
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
	return async () => await round(executions);
}
