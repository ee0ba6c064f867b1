/** Reads what n8n stored about an execution. */
const { parse } = require('flatted');

/**
 * @param {{ id: string, status: string, mode: string, data?: string, workflowData?: object }} stored
 *   as the REST API gives it; `data` is a flatted string
 */
function readExecution(stored) {
	// While an execution runs there may be nothing yet.
	const data = (stored.data && parse(stored.data)) ?? {};
	const runData = data.resultData?.runData ?? {};

	/** All runs of a node: one, or more inside a loop. */
	const runs = (node) => runData[node] ?? [];

	/** Items as n8n keeps them, with `json`, `pairedItem`, `error`. */
	const rawItems = (node, { output = 0, run = 0 } = {}) =>
		runs(node)[run]?.data?.main?.[output] ?? [];

	return {
		id: stored.id,
		/** `success`, `error`, `canceled`, `crashed`, `running`, … */
		status: stored.status,
		mode: stored.mode,
		error: data.resultData?.error,
		runData,
		runs,
		rawItems,
		/** The `json` of the items that left a node by one of its outputs. */
		items: (node, where) => rawItems(node, where).map(({ json }) => json),
		/** Error of a node that ended its run. */
		nodeError: (node, run = 0) => runs(node)[run]?.error,
		/** Milliseconds inside the node. */
		executionTime: (node, run = 0) => runs(node)[run]?.executionTime,
		/** The whole record as n8n stored it, for questions such as "is the key in there?". */
		stored,
	};
}

module.exports = { readExecution };
