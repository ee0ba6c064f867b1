/** Calls webhooks and follows the executions behind them, in the database that n8n keeps them in. */
import { poll } from '../../../scripts/lib/child.cts';
import type { Instance } from '../../n8n/instance.cts';
import type { Cluster } from '../cluster.cts';
import type { Database } from '../services/postgres.cts';
import type { Customer } from '../workflows.cts';

/** A row of n8n's executions. */
export interface ExecutionRow {
	id: number;
	status: string;
	startedAt: Date;
	stoppedAt: Date;
	retryOf: string | null;
}

const ENDED = ['success', 'error', 'canceled', 'crashed'];

/** @param url of the n8n that takes webhooks */
export async function post(url: string, path: string, body: object): Promise<void> {
	const response = await fetch(`${url}/webhook/${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	if (!response.ok) throw new Error(`Webhook: ${response.status} ${await response.text()}`);
	await response.arrayBuffer();
}

/** All executions of a workflow, oldest first. */
export const executionsOf = async (database: Database, workflowId: string) =>
	await database.query<ExecutionRow>(
		`SELECT id, status, "startedAt", "stoppedAt", "retryOf" FROM execution_entity
		WHERE "workflowId" = $1 ORDER BY id`,
		[workflowId],
	);

/** Waits until as many executions of a workflow as expected have ended. */
export async function allEnded(
	database: Database,
	workflowId: string,
	count: number,
	{ timeoutMs = 300_000 } = {},
): Promise<ExecutionRow[]> {
	let last: ExecutionRow[] = [];
	return await poll(
		async () => {
			last = await executionsOf(database, workflowId);
			const ended = last.filter(({ status }) => ENDED.includes(status));
			return ended.length >= count && ended;
		},
		{ timeoutMs, everyMs: 250, what: `${count} executions to end` },
	).catch((error: Error) => {
		const statuses = JSON.stringify(countBy(last, ({ status }) => status));
		throw new Error(`${error.message} (they are: ${statuses})`);
	});
}

export function countBy<T>(list: T[], keyOf: (entry: T) => string): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const entry of list) counts[keyOf(entry)] = (counts[keyOf(entry)] ?? 0) + 1;
	return counts;
}

/** How many customers of a list have one message, none, or more, by the ledger of the sandbox. */
export async function reached({ sandbox }: Pick<Cluster, 'sandbox'>, list: Customer[]) {
	const { deliveries } = await sandbox.ledger();
	const times = list.map(({ customerId }) => deliveries.get(customerId) ?? 0);
	return {
		once: times.filter((count) => count === 1).length,
		missing: times.filter((count) => count === 0).length,
		doubles: times.filter((count) => count > 1).length,
	};
}

/** Which worker started which execution, how often: from what the workers log. */
export function startsOf(workers: Instance[]): Map<string, Instance[]> {
	const starts = new Map<string, Instance[]>();
	for (const worker of workers) {
		for (const [, id] of worker.output().matchAll(/Worker started execution (\d+)/g)) {
			starts.set(id, [...(starts.get(id) ?? []), worker]);
		}
	}
	return starts;
}
