/** A list that comes several times at the same moment, to two workers, and once more later: what the Send Once Key makes of it. */
import type { Cluster } from '../cluster.cts';
import { countBy, reached, startsOf } from '../executions.cts';
import { size } from '../sizes.cts';
import { customers, inBatches } from '../workflows.cts';

const AT_ONCE = 6;
/** What a process leaves that was killed while it claimed a key. */
const LEFT_LOCK = `INSERT INTO processed_data ("workflowId", context, value)
	VALUES ($1, '', '{"mode":"outboundMessaging.lock","data":["of a process that was killed"]}')`;

export async function sendOnce({ sandbox, database, make, workers }: Cluster) {
	const workflow = await make.batches('Several at once', {
		options: { maxConcurrency: 5 },
		safeguards: { sendOnceKey: 'spring-sale' },
	});
	const list = customers(size.sendOnce);
	const [call] = inBatches(list, list.length);
	await sandbox.reset();
	await database.query(LEFT_LOCK, [workflow.senderId]);
	await Promise.all(Array.from({ length: AT_ONCE }, async () => await workflow.call(call)));
	const rows = await workflow.ended(AT_ONCE);
	const starts = startsOf(workers).filter(({ id }) => rows.some((row) => row.id === id));
	const atOnce = await reached(sandbox, list);

	await workflow.call(call);
	const statuses = countBy(await workflow.ended(AT_ONCE + 1), 'status');
	return {
		messages: list.length,
		workers: new Set(starts.map(({ worker }) => worker)).size,
		statuses,
		atOnce,
		onceMoreLater: await reached(sandbox, list),
	};
}
