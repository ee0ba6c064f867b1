import type { IDataObject } from 'n8n-workflow';

import type { Ended, Given } from './n8n';
import { record, runNode } from './n8n';

/** An item that comes out, in one line. */
function itemShown(item: IDataObject, index: number): string {
	if (item.id === 'm' && JSON.stringify(item) === JSON.stringify(record)) return 'accepted';
	if (!item.details) return JSON.stringify(item);
	const { delivery, fix, statusCode, code, itemIndex, ...rest } = item.details as IDataObject;
	expect([index, undefined]).toContain(itemIndex);
	expect([rest, Object.keys(item)]).toEqual([{}, ['error', 'details']]);
	return `${[delivery, statusCode, code].filter(Boolean).join(' ')}: ${item.error} / ${fix}`;
}

function errorShown(error: NonNullable<Ended['error']>): string {
	const { name, httpCode, failure, context, message, description } = error;
	const kind = [name, httpCode, failure?.cause].filter(Boolean).join(' ');
	return `${kind} of ${context.itemIndex ?? 'the run'}: ${message} / ${description}`;
}

/** What is to be seen of a run. */
function shown({ sent, json, error, hints, log }: Ended): string[] {
	const items = new Map<string, number[]>();
	for (const [index, item] of json.entries()) {
		const line = itemShown(item, index);
		items.set(line, [...(items.get(line) ?? []), index]);
	}
	return [
		...(sent.length > 0
			? [`sent to ${sent.map((body) => body.customer_id ?? body.customer_phone).join(' ')}`]
			: []),
		...[...items].map(([line, indexes]) => `${indexes.join(' ')}: ${line}`),
		...(error ? [errorShown(error)] : []),
		...hints,
		...log.map((line) => `log: ${line}`),
	];
}

/** What is to be seen of some runs of one node, which share what n8n keeps. */
export async function story(...runs: Given[]): Promise<string> {
	const shared = { context: {}, keys: new Map<string, string[]>() };
	const lines: string[] = [];
	let first: IDataObject = {};
	for (const [index, run] of runs.entries()) {
		if (run.isRetryOfFirst) shared.context = structuredClone(first);
		lines.push(...shown(await runNode({ ...shared, ...run })));
		if (index === 0) first = structuredClone(shared.context);
	}
	return lines.join('\n');
}
