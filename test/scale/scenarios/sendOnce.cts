/** The same webhook delivered twice, to two workers at the same moment: what the Send Once Key makes of it. */
import fs from 'node:fs';
import path from 'node:path';
import type { Cluster } from '../cluster.cts';
import { allEnded, executionsOf, post, startsOf } from '../lib/executions.cts';
import type { Sizes } from '../sizes.cts';
import type { WorkflowMaker } from '../workflows.cts';

/** The next pair starts when this one is through. */
const APART_MS = 300;
const LEAD_MS = 2_000;

type Size = Sizes['sendOnce'];

/** Sends pairs until as many as asked for met on two different workers. */
export async function sendOnce(cluster: Cluster, make: WorkflowMaker, { pairs, wave }: Size) {
	const { sandbox, database, webhook } = cluster;
	const options = { maxConcurrency: 1 };
	const safeguards = { sendOnceKey: '={{ $json.body.key }}' };
	const workflow = await make.together('Twice at once', { options, safeguards });
	const call = async (number: number, at: number) =>
		await post(webhook.url, workflow.path, { ...message(number), at: new Date(at).toISOString() });
	await sandbox.reset();

	const met: number[] = [];
	let called = 0;
	// Two executions may also meet on one worker; these do not count.
	const most = pairs * 4;
	while (met.length < pairs && called < most) {
		const numbers = Array.from({ length: Math.min(wave, most - called) }, () => called++);
		const start = Date.now() + LEAD_MS;
		for (const [index, number] of numbers.entries()) {
			await Promise.all([0, 1].map(async () => await call(number, start + index * APART_MS)));
		}
		await allEnded(database, workflow.id, called * 2);
		met.push(...(await apart(numbers, workflow, cluster)));
	}

	const { deliveries } = await sandbox.ledger();
	const of = (number: number) => deliveries.get(message(number).customerId) ?? 0;
	const doubles = met.filter((number) => of(number) > 1).length;
	const lost = met.filter((number) => of(number) === 0).length;

	// Every key comes once more, alone: a claim that got lost in the crowd sends a second message now.
	await sandbox.reset();
	for (let number = 0; number < called; number++) await call(number, 0);
	await allEnded(database, workflow.id, called * 3);
	const { accepted: laterDoubles } = await sandbox.summary();
	return { pairs: met.length, called, doubles, lost, laterDoubles };
}

/** The same without the lock: shows that the lock is what helps, and that these pairs do meet. */
export async function sendOnceUnlocked(cluster: Cluster, make: WorkflowMaker, size: Size) {
	while (cluster.workers.length < 2) await cluster.addWorker();
	await Promise.all(
		cluster.workers.map(async (worker) => {
			takeLockOut(path.join(worker.home, '.n8n/nodes/node_modules', NODE));
			await worker.restart();
		}),
	);
	return await sendOnce(cluster, make, size);
}

const NODE = 'n8n-nodes-outbound-messaging/dist/nodes/OutboundMessaging/OutboundMessaging.node.js';

function takeLockOut(file: string) {
	const code = fs.readFileSync(file, 'utf8');
	const unlocked = code.replace(
		/\basync hold\((\w+), \w+\) \{/,
		'$& return await $1(async (call) => await call());',
	);
	if (unlocked === code) throw new Error('The lock was not found in the bundle');
	fs.writeFileSync(file, unlocked);
}

const message = (number: number) => ({
	customerId: String(700_000 + number),
	text: `Order ${number}`,
	key: `order-${number}`,
});

/** The pairs whose two executions ran on two workers. */
async function apart(numbers: number[], workflow: { id: string }, { database, workers }: Cluster) {
	const starts = startsOf(workers);
	const rows = (await executionsOf(database, workflow.id)).slice(-2 * numbers.length);
	const places = rows.map(({ id }) => starts.get(String(id))?.[0]);
	return numbers.filter((_, index) => {
		const [left, right] = places.slice(index * 2, index * 2 + 2);
		return left && right && left !== right;
	});
}
