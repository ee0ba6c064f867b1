/** Messages per Second holds for one execution: several at a time add up. */
const { allEnded, post } = require('../lib/executions');
const { customers } = require('../workflows');

/** @param {{ executions: number, messages: number, perSecond: number }} size */
async function pacing({ sandbox, database, webhook }, make, { executions, messages, perSecond }) {
	const workflow = await make.list('Paced', { options: { messagesPerSecond: perSecond } });
	await sandbox.reset();
	for (let index = 0; index < executions; index++) {
		const list = customers(messages, 3_000_000 + index * messages);
		await post(webhook.url, workflow.path, { customers: list });
	}
	await allEnded(database, workflow.id, executions);
	const starts = (await sandbox.ledger()).entries.map(({ at }) => at).sort((a, b) => a - b);
	return {
		executions,
		perSecond,
		messages: starts.length,
		seconds: (starts.at(-1) - starts[0]) / 1_000,
		busiestSecond: busiest(starts),
	};
}

/** The most starts within any second. */
function busiest(starts) {
	let first = 0;
	let most = 0;
	for (const [last, at] of starts.entries()) {
		while (at - starts[first] >= 1_000) first++;
		most = Math.max(most, last - first + 1);
	}
	return most;
}

module.exports = { pacing };
