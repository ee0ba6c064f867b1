/** The same work with two workers, with one, and with main alone: ratios of one run on one machine. */
import type { Cluster } from '../cluster.cts';
import { allEnded, post } from '../lib/executions.cts';
import { signIn } from '../../n8n/client.cts';
import { asBatches, customers, inParts, workflowMaker, type WorkflowMaker } from '../workflows.cts';

interface Size {
	executions: number;
	perExecution: number;
	batch: number;
}

/** Where the work is done. */
interface Place extends Pick<Cluster, 'database' | 'sandbox'> {
	url: string;
	workflow: { id: string; path: string };
}

export async function throughput(cluster: Cluster, make: WorkflowMaker, size: Size) {
	const { database, webhook, workers, sandbox } = cluster;
	const workflow = await make.batches('Throughput');

	const safeguards = { sendOnceKey: '={{ $json.key }}' };
	const keyed = await make.batches('Throughput with keys', { safeguards });
	const place = { url: webhook.url, database, workflow: keyed, sandbox };
	const twoWorkersWithKeys = await (await measureIn(place, size))();

	const pace = await measureIn({ url: webhook.url, database, workflow, sandbox }, size);
	const twoWorkers = await pace();
	await cluster.removeWorker(workers.at(-1)!);
	const oneWorker = await pace();

	const alone = await cluster.startAlone();
	let mainAlone: number;
	try {
		const client = await signIn(alone.url);
		const own = await (await workflowMaker(client, sandbox)).batches('Throughput');
		const where = { url: alone.url, database: alone.database, workflow: own, sandbox };
		mainAlone = await (await measureIn(where, size))();
	} finally {
		await alone.stop();
	}
	return {
		messagesPerSecond: { twoWorkersWithKeys, twoWorkers, oneWorker, mainAlone },
		keysToNone: twoWorkersWithKeys / twoWorkers,
		twoWorkersToOne: twoWorkers / oneWorker,
		oneWorkerToMainAlone: oneWorker / mainAlone,
	};
}

/** A first round warms everything up; it is not  */
async function measureIn(
	{ url, database, workflow, sandbox }: Place,
	{ executions, perExecution, batch }: Size,
) {
	let ended = 0;
	const round = async (count: number) => {
		// Others each time: their keys are new.
		const list = customers(count * perExecution, 5_000_000 + ended * perExecution);
		const calls = inParts(list, perExecution);
		await sandbox.reset();
		const began = Date.now();
		for (const part of calls) await post(url, workflow.path, asBatches(part, batch));
		ended += count;
		await allEnded(database, workflow.id, ended);
		const { entries } = await sandbox.ledger();
		const last = Math.max(...entries.map(({ endedAt }) => endedAt!));
		const accepted = entries.filter((entry) => entry.accepted).length;
		if (accepted !== count * perExecution) throw new Error(`${accepted} messages were accepted`);
		return accepted / ((last - began) / 1000);
	};
	await round(4);
	return async () => await round(executions);
}
