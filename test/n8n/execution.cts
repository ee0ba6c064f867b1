/** Reads what n8n stored about an execution. */
import { parse } from 'flatted';
import type { IPairedItemData, IRunExecutionData, ITaskData, NodeError } from 'n8n-workflow';

/** As the REST API gives it. */
export interface StoredExecution {
	id: string;
	/** `success`, `error`, `canceled`, `crashed`, `running`, … */
	status: string;
	/** What started it: `manual`, `webhook`, `trigger`, `integrated`, … */
	mode: string;
	stoppedAt?: string;
	/** A flatted string. */
	data?: string;
	workflowData?: object;
}

/**
 * The `json` of an item: what the node puts out, or whatever a test has put in. A test asks for
 * what it expects.
 */
export interface ItemJson {
	error?: string;
	details?: Record<string, unknown>;
	extra: { customer_id: number; success: boolean };
	[field: string]: unknown;
}

interface Item {
	json: ItemJson;
	pairedItem?: IPairedItemData;
}

export type Execution = ReturnType<typeof readExecution>;

export function readExecution(stored: StoredExecution) {
	// While an execution runs there may be nothing yet.
	const data = stored.data ? (parse(stored.data) as Partial<IRunExecutionData> | null) : null;
	const runData = data?.resultData?.runData ?? {};

	/** All runs of a node: one, or more inside a loop. */
	const runs = (node: string): ITaskData[] => runData[node] ?? [];

	/** Items as n8n keeps them, with `json`, `pairedItem`, `error`. */
	const rawItems = (node: string, { output = 0 } = {}): Item[] =>
		(runs(node)[0]?.data?.main?.[output] ?? []) as unknown[] as Item[];

	return {
		...{ id: stored.id, status: stored.status, runData, runs, rawItems },
		/** Error that ended the execution. */
		error: data?.resultData?.error as NodeError,
		/** The `json` of the items that left a node by one of its outputs. */
		items: (node: string, where?: { output: number }) =>
			rawItems(node, where).map(({ json }) => json),
		/** Error of a node that ended its run. */
		nodeError: (node: string) => runs(node)[0]?.error as NodeError,
		/** The whole record as n8n stored it, for questions such as "is the key in there?". */
		stored,
	};
}
