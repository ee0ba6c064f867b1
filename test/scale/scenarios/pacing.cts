/** Messages per Second holds for one execution: several at a time add up. */
import type { Cluster } from '../cluster.cts';
import { size } from '../sizes.cts';
import { customers, inParts } from '../workflows.cts';

export async function pacing({ sandbox, make }: Cluster) {
	const { executions, messages, perSecond } = size.pacing;
	const workflow = await make.list('Paced', { options: { messagesPerSecond: perSecond } });
	const lists = inParts(customers(executions * messages, 3_000_000), messages);
	await sandbox.reset();
	await workflow.call(...lists.map((list) => ({ customers: list })));
	const ended = await workflow.ended(executions);
	const starts = (await sandbox.ledger()).entries.map(({ at }) => at).sort((a, b) => a - b);
	const withinASecond = (from: number) => starts.filter((at) => at >= from && at < from + 1_000);
	return {
		executions,
		perSecond,
		messages: starts.length,
		shortestSeconds: Math.min(...ended.map(({ seconds }) => seconds)),
		seconds: (starts.at(-1)! - starts[0]) / 1_000,
		/** The most starts within any second. */
		busiestSecond: Math.max(...starts.map((from) => withinASecond(from).length)),
	};
}
