/**
 * Calls webhooks and follows the executions behind them, in the database that n8n keeps them in.
 */
import { poll } from '../../scripts/lib/child.cts';
import type { SandboxProcess } from '../../sandbox/process.cts';
import { ENDED } from '../n8n/client.cts';
import type { Instance } from '../n8n/instance.cts';
import type { Database } from './services.cts';
import type { Customer } from './workflows.cts';

/** A row of n8n's executions. */
interface ExecutionRow {
	id: number;
	status: string;
	startedAt: Date;
	stoppedAt: Date;
	/** By n8n's clock: a busy machine makes them longer, never shorter. */
	seconds: number;
}

/** @param url of the webhook that starts the workflow */
export function calledWorkflow(database: Database, id: string, url: string) {
	/** All of them, oldest first. */
	const executions = async () =>
		await database.query<ExecutionRow>(
			`SELECT id, status, "startedAt", "stoppedAt",
				extract(epoch FROM "stoppedAt" - "startedAt")::float AS seconds
			FROM execution_entity WHERE "workflowId" = $1 ORDER BY id`,
			[id],
		);
	return {
		/** Calls the webhook with each of these, one after the other. */
		async call(...bodies: object[]) {
			const headers = { 'content-type': 'application/json' };
			for (const each of bodies) {
				const body = JSON.stringify(each);
				const response = await fetch(url, { method: 'POST', headers, body });
				const text = await response.text();
				if (!response.ok) throw new Error(`Webhook: ${response.status} ${text}`);
			}
		},
		executions,
		/** Waits until as many executions as expected have ended. */
		async ended(count: number, timeoutMs = 300_000): Promise<ExecutionRow[]> {
			const areEnded = async () => {
				const ended = (await executions()).filter(({ status }) => ENDED.includes(status));
				return ended.length >= count && ended;
			};
			const what = `${count} executions of workflow ${id} to end`;
			return await poll(areEnded, { timeoutMs, everyMs: 250, what });
		},
	};
}

/** How many entries have each of the values that there are under a name. */
export function countBy<Name extends string>(list: Array<Record<Name, unknown>>, name: Name) {
	const counts: Record<string, number> = {};
	for (const { [name]: value } of list) counts[`${value}`] = (counts[`${value}`] ?? 0) + 1;
	return counts;
}

/** How many customers of a list have one message, none, or more, by the ledger of the sandbox. */
export async function reached(sandbox: SandboxProcess, list: Customer[]) {
	const { deliveries } = await sandbox.ledger();
	const times = list.map(({ customerId }) => deliveries.get(customerId) ?? 0);
	return {
		once: times.filter((count) => count === 1).length,
		missing: times.filter((count) => count === 0).length,
		doubles: times.filter((count) => count > 1).length,
	};
}

const LOGGED = /Worker (\w+)(?: while running)? execution (\d+) \(job \d+\)/g;

/**
 * What workers have logged of their executions: one entry for each that one of them has started,
 * finished or failed with.
 */
export const logOf = (...workers: Instance[]) =>
	workers.flatMap((worker) =>
		[...worker.output().matchAll(LOGGED)].map(([, what, id]) => ({ worker, what, id: Number(id) })),
	);

/** Which worker started which execution: one entry for each start. */
export const startsOf = (workers: Instance[]) =>
	logOf(...workers).filter(({ what }) => what === 'started');
