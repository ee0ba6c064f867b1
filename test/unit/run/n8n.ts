/* eslint-disable @n8n/community-nodes/no-dangerous-functions -- expressions of the tests */
import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INode,
	NodeExecutionHint,
} from 'n8n-workflow';

import { OutboundMessaging } from '../../../nodes/OutboundMessaging/OutboundMessaging.node';
import { KEY } from '../help';

/** What the service answers; an error for a connection that breaks. */
export type Answer = { statusCode: number; body: unknown; headers?: IDataObject } | Error;
export const record = {
	id: 'm',
	function_name: 'f',
	status: 'COMPLETED',
	extra: { success: true },
};
export const ACCEPTED: Answer = { statusCode: 200, body: record };
export const LOST: Answer = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
export const answer = (statusCode: number, error?: string): Answer => ({
	statusCode,
	body: error === undefined ? '' : { error, success: false },
});

/** One run of the node as a user sets it up; what is left out is a text message mapped from the item. */
export interface Given {
	items: IDataObject[];
	parameters?: IDataObject;
	options?: IDataObject;
	safeguards?: IDataObject;
	node?: Partial<INode>;
	/** Answers in turn; the last one stays. */
	answers?: Answer[];
	/** More of n8n's functions, or others. */
	n8n?: object;
	/** Functions of n8n's deduplication that don't work. */
	store?: object;
	/** What n8n has paired with the items, by the names of earlier nodes. */
	paired?: Record<string, IDataObject>;
	/** What n8n keeps between the runs of an execution. */
	context?: IDataObject;
	/** What n8n's deduplication keeps between executions. */
	keys?: Map<string, string[]>;
	executionId?: string;
	/** A Retry from the executions list, of the execution that the first run was in. */
	isRetryOfFirst?: boolean;
	runIndex?: number;
}

/** What n8n shows of an error, and what it knows of the cause. */
interface ShownError extends Error {
	description: string;
	context: { itemIndex?: number };
	httpCode?: string;
	failure?: { cause: string };
}

export interface Ended {
	/** The bodies of the requests. */
	sent: IDataObject[];
	json: IDataObject[];
	error?: ShownError;
	hints: string[];
	log: string[];
}

const TEXT = {
	operation: 'sendText',
	customerId: '={{ $json.customer }}',
	text: '={{ $json.text }}',
};
const isObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null;

/** What n8n makes of a parameter: its expressions, wherever they are. */
export function evaluated(raw: unknown, names: IDataObject): unknown {
	if (Array.isArray(raw)) return raw.map((each) => evaluated(each, names));
	if (isObject(raw)) {
		return Object.fromEntries(
			Object.entries(raw).map(([key, each]) => [key, evaluated(each, names)]),
		);
	}
	if (typeof raw !== 'string' || !raw.startsWith('=')) return raw;
	const valueOf = (code: string): unknown =>
		new Function(...Object.keys(names), `return (${code})`)(...Object.values(names));
	const whole = /^=\{\{(.*)\}\}$/s.exec(raw)?.[1];
	if (whole !== undefined && !whole.includes('{{')) return valueOf(whole);
	return raw.slice(1).replace(/\{\{(.*?)\}\}/gs, (_, code: string) => String(valueOf(code) ?? ''));
}

/** n8n's deduplication store: a list of keys for the node, one for the workflow. */
function deduplication(rows: Map<string, string[]>) {
	return {
		checkProcessedAndRecord: async (items: string[], scope: string) => {
			const known = rows.get(scope) ?? [];
			const fresh = items.filter((item) => !known.includes(item));
			rows.set(scope, [...known, ...fresh]);
			return { new: fresh, processed: items.filter((item) => known.includes(item)) };
		},
		removeProcessed: async (items: string[], scope: string) =>
			void rows.set(
				scope,
				(rows.get(scope) ?? []).filter((item) => !items.includes(item)),
			),
		clearAllProcessedItems: async (scope: string) => void rows.delete(scope),
		getProcessedDataCount: async (scope: string) => rows.get(scope)?.length ?? 0,
	};
}

/** Runs the node with an n8n and a service that are only what they have to be, in no time. */
export async function runNode(given: Given): Promise<Ended> {
	const { items, answers = [ACCEPTED], context = {}, keys = new Map<string, string[]>() } = given;
	const parameters: IDataObject = {
		...TEXT,
		...given.parameters,
		options: given.options ?? {},
		safeguards: given.safeguards ?? {},
	};
	const node = {
		name: 'Send',
		type: 'package.outboundMessaging',
		parameters,
		onError: 'stopWorkflow',
		...given.node,
	} as unknown as INode;
	const ended: Ended = { sent: [], json: [], hints: [], log: [] };
	const proxy = (item: number) => ({
		$json: items[item],
		$: (name: string) => {
			if (name === 'No') throw new Error('There is no such node');
			return {
				item: { json: { from: `${name} ${item}` } },
				first: () => ({ json: items[0] }),
			};
		},
		$itemIndex: item,
		$runIndex: given.runIndex ?? 0,
		$input: { all: () => items },
		$getPairedItem: (name: string) => {
			if (given.paired?.[name] === undefined) throw new Error('no pair');
			return { json: given.paired[name] };
		},
		$fromAI: (name: string, _: string, __: string, none?: unknown) => items[item][name] ?? none,
	});
	const valueOf = (path: string): unknown =>
		path
			.split('.')
			.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), parameters);
	const functions = {
		getNode: () => node,
		getInputData: () => items.map((json) => ({ json })),
		continueOnFail: () => node.onError !== 'stopWorkflow',
		getContext: () => context,
		getExecutionId: () => given.executionId ?? '1',
		getExecutionCancelSignal: () => undefined,
		getTimezone: () => 'UTC',
		getWorkflow: () => ({ id: 'workflow-1' }),
		getWorkflowDataProxy: proxy,
		getParentNodes: () => [],
		getChildNodes: () => [],
		getInputSourceData: () => ({}),
		isToolExecution: () => false,
		getNodeParameter: (
			path: string,
			item: number,
			byDefault: unknown,
			how?: { rawExpressions?: boolean },
		) => {
			const raw = valueOf(path) ?? byDefault;
			return how?.rawExpressions ? raw : evaluated(raw, proxy(item));
		},
		evaluateExpression: (text: string, item: number) => evaluated(`=${text}`, proxy(item)),
		getCredentials: async () => ({
			baseUrl: 'https://api.example.com',
			apiKeyHeader: 'X-Service-Api-Key',
			apiKey: KEY,
		}),
		addExecutionHints: ({ message, type }: NodeExecutionHint) =>
			ended.hints.push(`${type}: ${message}`),
		logger: {
			info: (line: string) => ended.log.push(line),
			warn: (line: string) => ended.log.push(line),
		},
		helpers: {
			...deduplication(keys),
			...given.store,
			httpRequestWithAuthentication: async (_: string, { body }: IHttpRequestOptions) => {
				const next = answers.length > 1 ? answers.shift() : answers[0];
				ended.sent.push(body as IDataObject);
				if (next instanceof Error) throw next;
				return next;
			},
		},
		...given.n8n,
	} as unknown as IExecuteFunctions;

	jest.useFakeTimers({
		doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'],
		now: Date.parse('2026-11-20T12:00:00Z'),
	});
	let isOver = false;
	const run = new OutboundMessaging().execute.call(functions).then(
		([output]) => {
			ended.json = output.map((item, index) => {
				expect(item.pairedItem).toEqual({ item: index });
				expect(Object.keys(item)).toEqual(['json', 'pairedItem']);
				if (item.error) ended.log.push(`item ${index} has an error: ${item.error.message}`);
				return item.json;
			});
		},
		(error: ShownError) => {
			ended.error = error;
		},
	);
	void run.finally(() => (isOver = true));
	while (!isOver) await jest.advanceTimersByTimeAsync(50);
	jest.useRealTimers();
	return ended;
}
