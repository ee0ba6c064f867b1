import type * as n8n from 'n8n-workflow';

import type { FaultRule } from '../../sandbox/index.cts';
import { OUTBOUND_MESSAGING } from './nodeTypes';

/** Name of the node under test in total workflows here. */
export const NODE = 'Outbound Messaging';
export const FAILED = 'Failed';

export const MODES = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
export const CONTINUE = { onError: 'continueRegularOutput' } as const;
export const ERROR_OUTPUT = { onError: 'continueErrorOutput' } as const;
export const ONE_BY_ONE = { options: { maxConcurrency: 1 } };
export const RESEND = { onUncertainDelivery: 'resend' };
export const RESEND_FIRST = { ...RESEND, repeatedRecipients: 'sendFirst' };

/**
 * The node under test, as a user sets it up; what is left out is a text message
 * mapped from the item.
 */
export interface Sending {
	name?: string;
	type?: string;
	parameters?: n8n.INodeParameters;
	options?: n8n.IDataObject;
	safeguards?: n8n.IDataObject;
	onError?: n8n.OnError;
	/** Retry On Fail with so many tries and next to no wait between them. */
	tries?: number;
}

export function node(name: string, type: string, more: Partial<n8n.INode> = {}): n8n.INode {
	const id = `id of ${name}`;
	return { id, name, type, typeVersion: 1, position: [0, 0], parameters: {}, ...more };
}

/** Where the items of a test come in. */
export const START = node('Start', 'test.pass');

export function sending(spec: Sending = {}) {
	const { name = NODE, type, parameters, options = {}, safeguards, onError, tries } = spec;
	return node(name, type ?? OUTBOUND_MESSAGING, {
		parameters: {
			...{ operation: 'sendText', customerId: '={{ $json.customer }}', text: '={{ $json.text }}' },
			options: options as n8n.INodeParameters,
			...parameters,
			...(safeguards && { safeguards: safeguards as n8n.INodeParameters }),
		},
		credentials: { outboundMessagingApi: { id: '1', name: 'Sandbox' } },
		...(onError && { onError }),
		...(tries && { retryOnFail: true, maxTries: tries, waitBetweenTries: 1 }),
	});
}

export const TEMPLATE: n8n.INodeParameters = {
	operation: 'sendTemplate',
	templateId: 'order_confirmation',
	channelId: '1024',
	customerPhone: '={{ $json.phone }}',
};

/**
 * Nodes in a row, each at the error output of the one before where it has one, or else at
 * its only output.
 */
export function workflow(nodes: n8n.INode[], more: n8n.IConnections = {}): n8n.IWorkflowBase {
	const connections: n8n.IConnections = {};
	nodes.slice(0, -1).forEach(({ name, onError }, index) => {
		const next = [to(nodes[index + 1])];
		connections[name] = { main: onError === 'continueErrorOutput' ? [[], next] : [next] };
	});
	const settings = { executionOrder: 'v1' };
	const flow = { id: 'workflow', name: 'Test', nodes, active: false, settings };
	return { ...flow, connections: { ...connections, ...more } } as n8n.IWorkflowBase;
}

export function to({ name }: Pick<n8n.INode, 'name'>, type: 'main' | 'ai_tool' = 'main') {
	return { node: name, type, index: 0 } as const;
}

/** Start, the node under test, and a node at its error output where it has one. */
export function toSend(spec: Sending = {}): n8n.IWorkflowBase {
	const failed = spec.onError === 'continueErrorOutput' ? [node(FAILED, 'test.pass')] : [];
	return workflow([START, sending(spec), ...failed]);
}

/** The list in batches, through a loop. */
export function looped(spec: Sending, batchSize: number): n8n.IWorkflowBase {
	const loop = node('Loop', 'test.loop', { parameters: { batchSize } });
	const done = node('Done', 'test.pass');
	return workflow([START, loop, sending(spec), done], {
		Loop: { main: [[to(done)], [to({ name: NODE })]] },
		[NODE]: { main: [[to(loop)], [to(loop)]] },
	});
}

/** With a sheet in front, which can fail. */
export function afterSheet(flow: n8n.IWorkflowBase): n8n.IWorkflowBase {
	const sheet = node('Sheet', 'test.sheet');
	const { Start, ...connections } = flow.connections;
	const first = { Start: { main: [[to(sheet)]] }, Sheet: Start };
	return { ...flow, nodes: [...flow.nodes, sheet], connections: { ...connections, ...first } };
}

/** An agent of a kind that calls the node under test. */
export function agent(kind: string, spec: Sending = {}): n8n.IWorkflowBase {
	const fromModel = { customerId: "={{ $fromAI('customer') }}", text: "={{ $fromAI('text') }}" };
	const parameters = { ...fromModel, ...spec.parameters };
	const tool = sending({ ...spec, type: `${OUTBOUND_MESSAGING}Tool`, parameters });
	return workflow([START, node('Agent', kind), tool], {
		Agent: { main: [[]] },
		[NODE]: { ai_tool: [[to({ name: 'Agent' }, 'ai_tool')]] },
	});
}

/** The ID of a customer: digits, as the service wants them. */
export const customer = (index: number): string => String(1000 + index);

/** So many items, each for a customer of its own. */
export function customers(count: number): n8n.IDataObject[] {
	const item = (index: number) => ({ customer: customer(index), text: `text ${index}` });
	return Array.from({ length: count }, (_, index) => item(index));
}

/** The service rejects these messages, by default all of them. */
export const rejects = (when: FaultRule['when'] = {}): FaultRule => {
	return { what: 'status', status: 400, when };
};
/** The service accepts these messages, and the connection breaks before it can say so. */
export const cuts = (when: FaultRule['when'] = {}): FaultRule => ({ what: 'cutAfter', when });

/**
 * The columns of the tables. `ended` is what comes out of each run of the node or each call,
 * `words` a part of what it says.
 */
export type Row = Sent & Given & Title & { ended: n8n.IDataObject[]; runs: number; words: string };
type Title = Record<'what' | 'rule', string>;
/** Safeguards; those of the first execution, where a table's `spec` is its retry's. */
type Given = Record<'safeguards' | 'first', n8n.IDataObject> & {
	flow: n8n.IWorkflowBase;
	spec: Sending;
	items: n8n.IDataObject[];
	rules: FaultRule[];
};
/** Who gets requests, and who of them accepted messages. */
type Sent = Record<'received' | 'accepted' | 'deliveries' | 'hints', string[]>;
