import type * as n8n from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { OutboundMessaging } from '../../nodes/OutboundMessaging/OutboundMessaging.node';

export const OUTBOUND_MESSAGING = 'n8n-nodes-outbound-messaging.outboundMessaging';

type Execute = (
	this: n8n.IExecuteFunctions,
	response?: n8n.EngineResponse,
) => Promise<n8n.INodeExecutionData[][] | n8n.EngineRequest>;

/** n8n takes away every parameter that a node type does not have. */
const properties = [{ name: 'batchSize', displayName: 'Batch Size', type: 'number', default: 1 }];

function nodeType(execute: Execute, shape = {}): n8n.INodeType {
	const description = { inputs: ['main'], outputs: ['main'], properties, version: 1, ...shape };
	return { description: description as unknown as n8n.INodeTypeDescription, execute };
}

type Items = n8n.INodeExecutionData[];
/** A node that makes other items of those that it gets. */
const making = (make: (this: n8n.IExecuteFunctions, items: Items) => Items) =>
	nodeType(async function () {
		return [make.call(this, this.getInputData())];
	});

/** How often an agent or a sheet still fails. */
export const failing = { times: 0 };

type Rows = n8n.IDataObject[];
/** What a node of the type `test.step` does with its rows, by its name: each test says so. */
export const steps = new Map<string, (rows: Rows) => Rows>();

type ToolToCall = { invoke(args: n8n.IDataObject): Promise<unknown> };

const AGENT = { inputs: ['main', { type: 'ai_tool' }] };
type Calls = Array<() => Promise<n8n.IDataObject>>;

/** An agent that calls its tools with its items as arguments, within its own run. */
const agent = (make: (calls: Calls) => Promise<n8n.IDataObject[]>, hasToolForEachItem = false) =>
	nodeType(async function () {
		const calls: Calls = [];
		let tool: ToolToCall;
		for (const [item, { json }] of this.getInputData().entries()) {
			if (item === 0 || hasToolForEachItem)
				[tool] = (await this.getInputConnectionData('ai_tool', item)) as ToolToCall[];
			const answer = tool!.invoke.bind(tool!, json);
			// What it answered, or what it threw.
			const failed = (error: Error) => ({ failed: error.message });
			calls.push(async () => await answer().then((text) => ({ answer: String(text) }), failed));
		}
		const ended = await make(calls);
		if (failing.times-- > 0) throw new UserError('The model is down');
		return [ended.map((json, item) => ({ json, pairedItem: { item } }))];
	}, AGENT);

async function oneByOne(calls: Calls): Promise<n8n.IDataObject[]> {
	const ended: n8n.IDataObject[] = [];
	for (const call of calls) ended.push(await call());
	return ended;
}
const atOnce = async (calls: Calls) => await Promise.all(calls.map(async (call) => await call()));

const outboundMessaging = new OutboundMessaging();
const tool = { name: 'outboundMessagingTool', inputs: [], outputs: ['ai_tool'] };
const types: Record<string, n8n.INodeType> = {
	[OUTBOUND_MESSAGING]: outboundMessaging,
	/** What n8n makes of a node that says `usableAsTool`. */
	[`${OUTBOUND_MESSAGING}Tool`]: Object.create(outboundMessaging, {
		description: { value: { ...outboundMessaging.description, ...tool } },
	}) as n8n.INodeType,
	/** With an input and an output of its own, so that a test sees what an agent would. */
	[`${OUTBOUND_MESSAGING}HitlTool`]: outboundMessaging,

	'test.pass': making((items) => items),

	'test.step': making(function (items) {
		const rows = steps.get(this.getNode().name)!(items.map(({ json }) => json));
		return rows.map((json, index) => {
			return { json, pairedItem: { item: Math.min(index, items.length - 1) } };
		});
	}),

	/** Fails at first, then reads its rows in an order that changes each time. */
	'test.sheet': making((items) => {
		if (failing.times-- > 0) throw new UserError('The sheet is locked');
		return failing.times % 2 === 0 ? items : items.toReversed();
	}),

	/**
	 * Keeps two fields and drops the others, as Edit Fields does without 'Include
	 * Other Input Fields'.
	 */
	'test.drop': making((items) =>
		items.map(({ json: { customer, text } }) => ({ json: { customer, text } })),
	),

	/** One item of all, with a pair in each of them. */
	'test.aggregate': making((items) => {
		const pairedItem = items.map((_, item) => ({ item }));
		return [{ json: { data: items.map(({ json }) => json) }, pairedItem }];
	}),

	/** Reads the text of the item in the sheet that each of its items comes from. */
	'test.pair': making(function (items) {
		const read = (item: number) => this.evaluateExpression("{{ $('Sheet').item.json.text }}", item);
		return items.map((_, item) => ({ json: { text: read(item) as string } }));
	}),

	/** Passes its items on in its first two runs: a loop that ends. */
	'test.twice': making(function (items) {
		const state = this.getContext('node') as { runs?: number };
		state.runs = (state.runs ?? 0) + 1;
		return state.runs > 2 ? [] : items;
	}),

	/**
	 * What Loop Over Items does: outputs are done and loop, the state is in the node's own context.
	 */
	'test.loop': nodeType(
		async function () {
			const state = this.getContext('node') as Partial<Record<'rest' | 'done', Items>>;
			// The items of later batches are paired with what came into the first one.
			const sourceOverwrite = this.getInputSourceData();
			const paired = (item: number) => ({ pairedItem: { item, sourceOverwrite } });
			const items = this.getInputData().map((item, index) => ({ ...item, ...paired(index) }));
			const { rest = items, done = [] } = state;
			if (state.rest) done.push(...items);
			const batch = rest.splice(0, this.getNodeParameter('batchSize', 0) as number);
			Object.assign(state, { rest, done });
			return batch.length > 0 ? [[], batch] : [done, []];
		},
		{ outputs: ['main', 'main'] },
	),

	'test.agent': agent(oneByOne),
	'test.mcpTrigger': agent(oneByOne),
	'test.parallelAgent': agent(atOnce),
	'test.batchAgent': agent(atOnce, true),

	/** An agent that lets the engine call its tool, as the newer agents of n8n do. */
	'test.engineAgent': nodeType(async function (response) {
		if (response && response.actionResponses.length > 0) {
			const answers = response.actionResponses.map(({ data }) => data.data?.ai_tool?.[0] ?? []);
			return [answers.flat().map(({ json }) => ({ json: json as n8n.IDataObject, pairedItem: 0 }))];
		}
		const actions = this.getInputData().map(({ json }, itemIndex) => ({
			actionType: 'ExecutionNodeAction' as const,
			nodeName: 'Outbound Messaging',
			input: (json.passed ?? json) as n8n.IDataObject,
			type: 'ai_tool' as const,
			id: String(json.id ?? `call ${itemIndex}`),
			metadata: { itemIndex },
		}));
		return { actions, metadata: {} };
	}, AGENT),
};

/**
 * An agent whose model calls its tool once in each of its answers, and names each of
 * these calls alike.
 */
types['test.callInEachAnswer'] = nodeType(async function (response) {
	const { metadata, actionResponses } = response ?? { metadata: {}, actionResponses: [] };
	const { answers: earlier = [] } = metadata as { answers?: n8n.IDataObject[] };
	const answers = actionResponses.flatMap(({ data }) => data.data?.ai_tool?.[0] ?? []);
	const all = [...earlier, ...answers.map(({ json }) => json)];
	const next = this.getInputData()[all.length];
	if (next === undefined) return [all.map((json) => ({ json, pairedItem: 0 }))];
	const call = { actionType: 'ExecutionNodeAction' as const, type: 'ai_tool' as const };
	const to = { nodeName: 'Outbound Messaging', input: next.json, id: 'call_0' };
	return { actions: [{ ...call, ...to, metadata: { itemIndex: 0 } }], metadata: { answers: all } };
}, AGENT);

export const nodeTypes: n8n.INodeTypes = {
	getByName: (name) => types[name],
	getByNameAndVersion: (name) => types[name],
	getKnownTypes: () => ({}),
};
