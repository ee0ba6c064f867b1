import type {
	IConnections,
	IDataObject,
	INode,
	INodeParameters,
	IWorkflowBase,
	OnError,
} from 'n8n-workflow';

import type { FaultRule } from '../../sandbox/index.cts';
import { OUTBOUND_MESSAGING } from './nodeTypes';

/** Name of the node under test in total workflows here. */
export const NODE = 'Outbound Messaging';
export const FAILED = 'Failed';

export const MODES: OnError[] = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];
export const CONTINUE = { onError: 'continueRegularOutput' } as const;
export const ERROR_OUTPUT = { onError: 'continueErrorOutput' } as const;
export const ONE_BY_ONE = { options: { maxConcurrency: 1 } };

/** The node under test, as a user sets it up; what is left out is a text message mapped from the item. */
export interface Sending {
	name?: string;
	type?: string;
	parameters?: INodeParameters;
	options?: IDataObject;
	safeguards?: IDataObject;
	onError?: OnError;
	/** Retry On Fail with so many tries and next to no wait between them. */
	tries?: number;
}

export function node(name: string, type: string, more: Partial<INode> = {}): INode {
	return {
		id: `id of ${name}`,
		name,
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		...more,
	};
}

/** Where the items of a test come in. */
export const START = node('Start', 'test.pass');

export function sending(spec: Sending = {}) {
	const { name = NODE, type, parameters, options = {}, safeguards, onError, tries } = spec;
	return node(name, type ?? OUTBOUND_MESSAGING, {
		parameters: {
			...TEXT,
			options: options as INodeParameters,
			...parameters,
			...(safeguards && { safeguards: safeguards as INodeParameters }),
		},
		credentials: { outboundMessagingApi: { id: '1', name: 'Sandbox' } },
		...(onError && { onError }),
		...(tries && { retryOnFail: true, maxTries: tries, waitBetweenTries: 1 }),
	});
}

const TEXT: INodeParameters = {
	operation: 'sendText',
	customerId: '={{ $json.customer }}',
	text: '={{ $json.text }}',
};

export const TEMPLATE: INodeParameters = {
	operation: 'sendTemplate',
	templateId: 'order_confirmation',
	channelId: '1024',
	customerPhone: '={{ $json.phone }}',
};

/** Nodes in a row, each at the error output of the one before where it has one, or else at its only output. */
export function workflow(nodes: INode[], more: IConnections = {}): IWorkflowBase {
	const connections: IConnections = {};
	nodes.slice(0, -1).forEach(({ name, onError }, index) => {
		const next = [to(nodes[index + 1])];
		connections[name] = { main: onError === 'continueErrorOutput' ? [[], next] : [next] };
	});
	return {
		id: 'workflow',
		name: 'Test',
		nodes,
		connections: { ...connections, ...more },
		active: false,
		settings: { executionOrder: 'v1' },
	} as IWorkflowBase;
}

export function to({ name }: Pick<INode, 'name'>, type: 'main' | 'ai_tool' = 'main') {
	return { node: name, type, index: 0 } as const;
}

/** Start, the node under test, and a node at its error output where it has one. */
export function toSend(spec: Sending = {}): IWorkflowBase {
	const failed = spec.onError === 'continueErrorOutput' ? [node(FAILED, 'test.pass')] : [];
	return workflow([START, sending(spec), ...failed]);
}

/** The list in batches, through a loop. */
export function looped(spec: Sending, batchSize: number): IWorkflowBase {
	const loop = node('Loop', 'test.loop', { parameters: { batchSize } });
	const done = node('Done', 'test.pass');
	return workflow([START, loop, sending(spec), done], {
		Loop: { main: [[to(done)], [to({ name: NODE })]] },
		[NODE]: { main: [[to(loop)], [to(loop)]] },
	});
}

/** An agent of a kind that calls the node under test. */
export function agent(kind: string, spec: Sending = {}): IWorkflowBase {
	const fromModel = { customerId: "={{ $fromAI('customer') }}", text: "={{ $fromAI('text') }}" };
	const parameters = { ...fromModel, ...spec.parameters };
	const tool = sending({ ...spec, type: `${OUTBOUND_MESSAGING}Tool`, parameters });
	return workflow([START, node('Agent', kind), tool], {
		Agent: { main: [[]] },
		[NODE]: { ai_tool: [[to({ name: 'Agent' }, 'ai_tool')]] },
	});
}

/** The ID of a customer: digits, as the service wants them. */
export function customer(index: number): string {
	return String(1000 + index);
}

/** So many items, each for a customer of its own. */
export function customers(count: number): IDataObject[] {
	return Array.from({ length: count }, (_, index) => ({
		customer: customer(index),
		text: `text ${index}`,
	}));
}

/** The service rejects these messages, by default all of them. */
export const rejects = (when: FaultRule['when'] = {}): FaultRule => {
	return { what: 'status', status: 400, when };
};
/** The service accepts these messages, and the connection breaks before it can say so. */
export const cuts = (when: FaultRule['when'] = {}): FaultRule => ({ what: 'cutAfter', when });

/** The columns of the tables. */
export interface Row {
	flow: IWorkflowBase;
	spec: Sending;
	safeguards: IDataObject;
	/** Safeguards of a first execution, and of its retry. */
	first: IDataObject;
	then: IDataObject;
	items: IDataObject[];
	rules: FaultRule[];
	/** Who gets requests, and who of them accepted messages. */
	received: string[];
	accepted: string[];
	deliveries: string[];
	/** What comes out of each run of the node, or of each call. */
	ended: IDataObject[];
	/** How often the node runs. */
	runs: number;
	/** A part of what it says. */
	words: string;
	hints: string[];
}
