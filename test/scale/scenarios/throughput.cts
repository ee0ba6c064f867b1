/** The same work with two workers, with one, and with main alone: ratios of one run on one machine. */
import { signIn } from '../../n8n/client.cts';
import type { Cluster } from '../cluster.cts';
import { allEnded, post } from '../lib/executions.cts';
import type { sizes } from '../sizes.cts';
import {
	asBatches,
	customers,
	inParts,
	workflowMaker,
	type Sending,
	type WorkflowMaker,
} from '../workflows.cts';

type Size = (typeof sizes.full)['throughput'];

/** Where the work is done. */
type Place = Pick<Cluster, 'database' | 'sandbox'> & { webhook: { url: string } };

export async function throughput(cluster: Cluster, make: WorkflowMaker, size: Size) {
	const { workers, sandbox } = cluster;
	const safeguards = { sendOnceKey: '={{ $json.key }}' };
	const twoWorkersWithKeys = await (await warmedUp(cluster, make, size, { safeguards }))();

	const pace = await warmedUp(cluster, make, size);
	const twoWorkers = await pace();
	await cluster.removeWorker(workers.at(-1)!);
	const oneWorker = await pace();

	const { n8n, database } = await cluster.startAlone();
	let mainAlone: number;
	try {
		const own = await workflowMaker(await signIn(n8n.url), sandbox);
		mainAlone = await (await warmedUp({ webhook: n8n, database, sandbox }, own, size))();
	} finally {
		await n8n.stop();
	}
	return {
		messagesPerSecond: { twoWorkersWithKeys, twoWorkers, oneWorker, mainAlone },
		keysToNone: twoWorkersWithKeys / twoWorkers,
		twoWorkersToOne: twoWorkers / oneWorker,
		oneWorkerToMainAlone: oneWorker / mainAlone,
	};
}

/** A first round warms everything up; it doesn't count. @returns measures one */
async function warmedUp(
	{ webhook, database, sandbox }: Place,
	make: WorkflowMaker,
	{ executions, perExecution, batch }: Size,
	how?: Sending,
) {
	const workflow = await make.batches('Throughput', how);
	let ended = 0;
	const round = async (count: number) => {
		// Others each time: their keys are new.
		const list = customers(count * perExecution, 5_000_000 + ended * perExecution);
		await sandbox.reset();
		const began = Date.now();
		for (const part of inParts(list, perExecution)) {
			await post(webhook.url, workflow.path, asBatches(part, batch));
		}
		ended += count;
		await allEnded(database, workflow.id, ended);
		const { entries } = await sandbox.ledger();
		const last = Math.max(...entries.map(({ endedAt }) => endedAt!));
		const accepted = entries.filter((entry) => entry.accepted).length;
		if (accepted !== list.length) throw new Error(`${accepted} messages were accepted`);
		return accepted / ((last - began) / 1000);
	};
	await round(4);
	return async () => await round(executions);
}
