/** Calls webhooks and follows the executions behind them, in the database that n8n keeps them in. */
const { poll } = require('../../../scripts/lib/child.cts');

const ENDED = ['success', 'error', 'canceled', 'crashed'];

/** @param {string} url of the n8n that takes webhooks */
async function post(url, path, body) {
	const response = await fetch(`${url}/webhook/${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	if (!response.ok) throw new Error(`Webhook: ${response.status} ${await response.text()}`);
	await response.arrayBuffer();
}

/** All executions of a workflow, oldest first. */
const executionsOf = async (database, workflowId) =>
	await database.query(
		`SELECT id, status, "startedAt", "stoppedAt", "retryOf" FROM execution_entity
		WHERE "workflowId" = $1 ORDER BY id`,
		[workflowId],
	);

/** Waits until as many executions of a workflow as expected have ended. */
async function allEnded(database, workflowId, count, { timeoutMs = 300_000 } = {}) {
	let last = [];
	return await poll(
		async () => {
			last = await executionsOf(database, workflowId);
			const ended = last.filter(({ status }) => ENDED.includes(status));
			return ended.length >= count && ended;
		},
		{ timeoutMs, everyMs: 250, what: `${count} executions to end` },
	).catch((error) => {
		const statuses = JSON.stringify(countBy(last, ({ status }) => status));
		throw new Error(`${error.message} (they are: ${statuses})`);
	});
}

function countBy(list, keyOf) {
	const counts = {};
	for (const entry of list) counts[keyOf(entry)] = (counts[keyOf(entry)] ?? 0) + 1;
	return counts;
}

/** Which worker started which execution, how often: from what the workers log. */
function startsOf(workers) {
	const starts = new Map();
	for (const worker of workers) {
		for (const [, id] of worker.output().matchAll(/Worker started execution (\d+)/g)) {
			starts.set(id, [...(starts.get(id) ?? []), worker]);
		}
	}
	return starts;
}

module.exports = { post, executionsOf, allEnded, startsOf, countBy };
