/** One run of one rival: what it took, and whether every customer got the message exactly once. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxProcess } from '../sandbox/process.cts';
import type { Client } from '../test/n8n/client.cts';
import type { Execution } from '../test/n8n/execution.cts';
import type { Environment } from './environment.cts';
import { customerId } from './nodes.cts';
import { SENDER, type RivalName, type Scenario } from './scenarios.cts';

const LOOK_MS = 100;
/** n8n is asked rarely while it works: every question is work for it. */
const ASK_MS = 3_000;
const MOST_TRIES = 20;
const TIMEOUT_MS = 15 * 60_000;
const ENDED = ['success', 'error', 'canceled', 'crashed'];

export interface Measurement {
	/** By the node's own execution time in its first run, reading of its parameters included. */
	perSecond: number;
	/** The execution time of each run, in milliseconds. */
	runsMs: number[];
}

/** @throws when a customer didn't get exactly one message */
export async function measure(
	environment: Environment,
	client: Client,
	scenario: Scenario,
	rival: RivalName,
): Promise<Measurement> {
	const service = environment.serviceOf(scenario);
	const { id: workflowId } = await again(() =>
		client.createWorkflow(environment.workflowFor(rival, scenario)),
	);
	const { latency, size } = scenario;
	await service.reset(latency > 0 ? [{ what: 'latency', ms: latency }] : []);

	await client.start(workflowId);
	await ended(client, workflowId, service, scenario);

	const [{ id }] = await again(() => client.executions(workflowId));
	const execution = await again(() => client.execution(id));
	await check(execution, service, scenario);
	const runsMs = execution.runs(SENDER).map(({ executionTime }) => executionTime);
	return { perSecond: (size / runsMs[0]) * 1000, runsMs };
}

/** An n8n that was blocked for seconds closes connections while a question is on its way. */
async function again<T>(question: () => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		try {
			return await question();
		} catch (error) {
			if ((error as Error).message !== 'fetch failed' || tries === MOST_TRIES) throw error;
			await sleep(LOOK_MS);
		}
	}
}

/** The service knows when the last message has come; only then n8n is asked whether it is done. */
async function ended(
	client: Client,
	workflowId: string,
	service: SandboxProcess,
	{ size, latency, runs = 1 }: Scenario,
) {
	const deadline = Date.now() + TIMEOUT_MS;
	let nextAsk = Date.now() + ASK_MS;
	for (;;) {
		const isComplete = (await service.summary()).accepted >= size * runs;
		if (isComplete || Date.now() >= nextAsk) {
			const [execution] = await again(() => client.executions(workflowId));
			if (ENDED.includes(execution?.status)) return;
			nextAsk = Date.now() + ASK_MS;
		}
		if (Date.now() > deadline) throw new Error("An execution didn't end in time");
		await sleep(isComplete ? Math.max(LOOK_MS, latency) : LOOK_MS);
	}
}

async function check(execution: Execution, service: SandboxProcess, { size, runs = 1 }: Scenario) {
	assert.equal(execution.status, 'success', execution.error?.message);
	assert.equal(execution.items(SENDER).length, size);
	const once = Array.from({ length: size * runs }, (_, index) => [customerId(index), 1] as const);
	const { deliveries } = await service.ledger();
	assert.deepEqual(deliveries, new Map(once), 'Not every customer got exactly one message');
}
