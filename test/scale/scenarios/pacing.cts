/** Messages per Second holds for one execution: several at a time add up. */
import type { Cluster } from '../cluster.cts';
import { allEnded, post, type ExecutionRow } from '../lib/executions.cts';
import { customers, type WorkflowMaker } from '../workflows.cts';

interface Size {
	executions: number;
	/** Of each execution. */
	messages: number;
	perSecond: number;
}

export async function pacing(
	{ sandbox, database, webhook }: Cluster,
	make: WorkflowMaker,
	{ executions, messages, perSecond }: Size,
) {
	const workflow = await make.list('Paced', { options: { messagesPerSecond: perSecond } });
	await sandbox.reset();
	for (let index = 0; index < executions; index++) {
		const list = customers(messages, 3_000_000 + index * messages);
		await post(webhook.url, workflow.path, { customers: list });
	}
	const ended = await allEnded(database, workflow.id, executions);
	const starts = (await sandbox.ledger()).entries.map(({ at }) => at).sort((a, b) => a - b);
	return {
		executions,
		perSecond,
		messages: starts.length,
		/** By n8n's clock: a busy machine makes them longer, never shorter. */
		shortestSeconds: Math.min(...ended.map(secondsOf)),
		seconds: (starts.at(-1)! - starts[0]) / 1_000,
		busiestSecond: busiest(starts),
	};
}

const secondsOf = ({ startedAt, stoppedAt }: ExecutionRow) =>
	(stoppedAt.getTime() - startedAt.getTime()) / 1_000;

/** The most starts within any second. */
function busiest(starts: number[]) {
	let first = 0;
	let most = 0;
	for (const [last, at] of starts.entries()) {
		while (at - starts[first] >= 1_000) first++;
		most = Math.max(most, last - first + 1);
	}
	return most;
}
