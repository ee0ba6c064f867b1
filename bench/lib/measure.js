/** One run of one contestant: what it took, and whether every customer got the message exactly once. */
const os = require('node:os');
const { setTimeout: sleep } = require('node:timers/promises');
require('tsx/cjs');
const { deliveriesByRecipient } = require('../../sandbox/ledgerQueries.cts');
const { rows } = require('../contestants/rows');
const { CONTESTANTS, NAME } = require('./contestants');
const { workflowFor } = require('./house');
const { watch } = require('./watch');
const { WORK } = require('./work');

const LOOK_MS = 100;
/** n8n is asked rarely while it works: every question is work for it. */
const ASK_MS = 3_000;
const MOST_TRIES = 20;
const TIMEOUT_MS = 15 * 60_000;
const ENDED = ['success', 'error', 'canceled', 'crashed'];

/**
 * @typedef {object} Run
 * @property {number} ms the node's own execution time
 * @property {number} perSecond
 * @property {number} from when the node began, since the epoch
 * @property {number} maxInFlight
 * @property {number} connections
 * @property {number} storedBytes
 * @property {string} [problem] what was not as it has to be
 *
 * @param {Awaited<ReturnType<import('./house').openHouse>>} house
 * @param {Awaited<ReturnType<import('../../test/n8n/client.cts').signIn>>} client
 * @param {import('./matrix').Case} each
 * @param {string} contestant
 * @returns {Promise<Run & import('./watch').Readings>}
 */
async function measure(house, client, each, contestant) {
	const place = house.placeOf(each);
	const { service } = place;
	const { id: workflowId } = await again(() =>
		client.createWorkflow(workflowFor(contestant, each, place)),
	);
	await service.prepare(each.latency);

	const watching = watch(house.n8n);
	let readingsOf;
	try {
		await client.start(workflowId);
		await ended(client, workflowId, service, each);
	} finally {
		readingsOf = await watching.stop();
	}

	const [{ id }] = await again(() => client.executions(workflowId));
	const execution = await again(() => client.execution(id));
	const [nodeRun] = execution.runs(NAME);
	if (!nodeRun) return { problem: `the node did not run (${execution.status})` };
	const { startTime: from, executionTime: ms } = nodeRun;
	const summary = await service.summary();
	return {
		ms,
		perSecond: (each.size / ms) * 1000,
		from,
		...readingsOf({ from, to: from + ms }),
		maxInFlight: summary.maxInFlight,
		connections: summary.connections,
		storedBytes: execution.stored.data.length,
		problem: await problemOf(execution, service, each),
	};
}

/** An n8n that was held up for seconds closes connections while a question is on its way. */
async function again(question) {
	for (let tries = 1; ; tries++) {
		try {
			return await question();
		} catch (error) {
			if (error.message !== 'fetch failed' || tries === MOST_TRIES) throw error;
			await sleep(LOOK_MS);
		}
	}
}

/** The service knows when the last message has come; only then n8n is asked whether it is done. */
async function ended(client, workflowId, service, { size, special, latency }) {
	const deadline = Date.now() + TIMEOUT_MS;
	let nextAsk = Date.now() + ASK_MS;
	for (;;) {
		const isComplete = special !== 'dry' && (await service.summary()).accepted >= size;
		if (isComplete || Date.now() >= nextAsk) {
			const [execution] = await again(() => client.executions(workflowId));
			if (ENDED.includes(execution?.status)) return;
			nextAsk = Date.now() + ASK_MS;
		}
		if (Date.now() > deadline) throw new Error('an execution did not end in time');
		await sleep(isComplete ? Math.max(LOOK_MS, latency) : LOOK_MS);
	}
}

/** @returns {Promise<string | undefined>} */
async function problemOf(execution, service, { work, size, special }) {
	if (execution.status !== 'success') {
		const { message, description = '' } = execution.error ?? {};
		return `ended with ${execution.status}: ${message} ${description}`.trim();
	}
	const items = execution.items(NAME).length;
	if (items !== size) return `${items} items came out, not ${size}`;
	const deliveries = deliveriesByRecipient(await service.entries());
	const expected = special === 'dry' ? [] : rows(size).map(WORK[work].recipient);
	const missed = expected.filter((recipient) => deliveries.get(recipient) !== 1).length;
	if (missed > 0) return `${missed} customers did not get exactly one message`;
	if (deliveries.size !== expected.length) return 'customers got a message who are not on the list';
	return undefined;
}

/** What n8n takes when nobody asks anything of it but the health check, and what else the machine is doing. */
async function measureIdle({ n8n }, ms) {
	const before = processorTimes();
	const watching = watch(n8n);
	const from = Date.now();
	await sleep(ms);
	const to = Date.now();
	const readings = (await watching.stop())({ from, to });
	const after = processorTimes();
	const busy = 1 - (after.idle - before.idle) / (after.all - before.all);
	return { ...readings, busy };
}

function processorTimes() {
	const times = os.cpus().map((cpu) => cpu.times);
	const sum = (values) => values.reduce((total, value) => total + value, 0);
	return {
		idle: sum(times.map(({ idle }) => idle)),
		all: sum(times.flatMap((each) => Object.values(each))),
	};
}

const label = (contestant) => CONTESTANTS[contestant].label;

module.exports = { measure, measureIdle, label };
