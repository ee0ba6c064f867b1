/** A question that one worker asked, and the answer that another one continues with. */
import { poll } from '../../../scripts/lib/child.cts';
import type { Cluster } from '../cluster.cts';
import { allEnded, executionsOf, post } from '../lib/executions.cts';
import type { WorkflowMaker } from '../workflows.cts';

export async function question(
	{ sandbox, database, webhook, client, ...cluster }: Cluster,
	make: WorkflowMaker,
) {
	const workflow = await make.question('Question');
	await sandbox.reset();
	await post(webhook.url, workflow.path, { customerId: '42' });
	const waiting = async () => (await executionsOf(database, workflow.id))[0]?.status === 'waiting';
	await poll(waiting, { what: 'the execution to wait' });
	const asked = [...cluster.workers];
	await Promise.all([cluster.addWorker(), cluster.addWorker()]);
	for (const worker of asked) await cluster.removeWorker(worker);

	const [{ body }] = (await sandbox.ledger()).entries;
	const link = new URL((body as { text: string }).text.split('\n').at(-1)!);
	// The worker doesn't know the URL of the process that takes webhooks.
	link.port = new URL(webhook.url).port;
	const response = await fetch(link, {
		method: 'POST',
		body: new URLSearchParams({ answer: 'Approve' }),
	});
	const [{ id, status }] = await allEnded(database, workflow.id, 1);
	const execution = await client.execution(String(id));
	return { answered: response.status, status, items: execution.items('Outbound Messaging') };
}
