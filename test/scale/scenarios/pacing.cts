/** Messages per Second holds for one execution: several at a time add up. */
import type { Cluster } from '../cluster.cts';
import { allEnded, post } from '../lib/executions.cts';
import type { Sizes } from '../sizes.cts';
import { customers, type WorkflowMaker } from '../workflows.cts';

export async function pacing(
	{ sandbox, database, webhook }: Cluster,
	make: WorkflowMaker,
	{ executions, messages, perSecond }: Sizes['pacing'],
) {
	const workflow = await make.list('Paced', { options: { messagesPerSecond: perSecond } });
	await sandbox.reset();
	for (let index = 0; index < executions; index++) {
		const list = customers(messages, 3_000_000 + index * messages);
		await post(webhook.url, workflow.path, { customers: list });
	}
	const ended = await allEnded(database, workflow.id, executions);
	const starts = (await sandbox.ledger()).entries.map(({ at }) => at).sort((a, b) => a - b);
	const withinASecond = (from: number) => starts.filter((at) => at >= from && at < from + 1_000);
	return {
		executions,
		perSecond,
		messages: starts.length,
		/** By n8n's clock: a busy machine makes them longer, never shorter. */
		shortestSeconds: Math.min(
			...ended.map(
				({ startedAt, stoppedAt }) => (stoppedAt.getTime() - startedAt.getTime()) / 1_000,
			),
		),
		seconds: (starts.at(-1)! - starts[0]) / 1_000,
		/** The most starts within any second. */
		busiestSecond: Math.max(...starts.map((from) => withinASecond(from).length)),
	};
}
