/** A question that one worker asked, and the answer that another one continues with. */
import { poll } from '../../../scripts/lib/child.cts';
import type { Cluster } from '../cluster.cts';

export async function question({ sandbox, make, webhook, client, ...cluster }: Cluster) {
	const workflow = await make.question('Question');
	await sandbox.reset();
	await workflow.call({ customerId: '42' });
	const isWaiting = async () => (await workflow.executions())[0]?.status === 'waiting';
	await poll(isWaiting, { what: 'the execution to wait' });
	const asked = [...cluster.workers];
	await Promise.all([cluster.addWorker(), cluster.addWorker()]);
	for (const worker of asked) await cluster.removeWorker(worker);

	const [{ body }] = (await sandbox.ledger()).entries;
	const link = new URL((body as { text: string }).text.split('\n').at(-1)!);
	// The worker doesn't know the URL of the process that takes webhooks.
	link.port = new URL(webhook.url).port;
	const answer = new URLSearchParams({ answer: '0' });
	const response = await fetch(link, { method: 'POST', body: answer });
	const [{ id, status }] = await workflow.ended(1);
	const execution = await client.execution(String(id));
	return { answered: response.status, status, items: execution.items('Outbound Messaging') };
}
