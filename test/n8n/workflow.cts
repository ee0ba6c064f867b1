/** Builders for workflows, so that a test shows what matters to it. */
import { randomUUID } from 'node:crypto';
import type { IConnection, NodeConnectionType } from 'n8n-workflow';

export interface NodeDefinition {
	id: string;
	name: string;
	type: string;
	typeVersion: number;
	parameters: object;
	position?: [number, number];
	/** Items that it yields in manual runs; kept in the workflow's `pinData`. */
	pinned?: Array<{ json: object }>;
	credentials?: Record<string, { id: string; name: string }>;
	onError?: string;
	webhookId?: string;
}

export interface WorkflowDefinition {
	name: string;
	nodes: NodeDefinition[];
	connections: Record<string, Record<string, IConnection[][]>>;
	pinData?: object;
	settings: Record<string, unknown>;
	active: boolean;
}

export const node = (
	name: string,
	type: string,
	typeVersion: number,
	parameters: object = {},
	more: object = {},
): NodeDefinition => ({ id: randomUUID(), name, type, typeVersion, parameters, ...more });

/** The trigger that `run()` starts from. */
export const manualTrigger = () => node('Start', 'n8n-nodes-base.manualTrigger', 1);

/** A trigger for published workflows; answers when the last node has ended. */
export function webhook(path: string) {
	const response = { responseMode: 'lastNode', responseData: 'allEntries' };
	const parameters = { httpMethod: 'POST', path, ...response };
	return node('Webhook', 'n8n-nodes-base.webhook', 2, parameters, { webhookId: path });
}

/**
 * A node whose output is pinned: it yields these items in manual runs, without a line of
 * user code to run.
 */
export const items = (list: object[], name = 'Items') =>
	node(name, 'n8n-nodes-base.noOp', 1, {}, { pinned: list.map((json) => ({ json })) });

/** A node that writes down what expressions yield. */
export function edit(name: string, fields: Record<string, string>) {
	const list = Object.entries(fields);
	const assignments = list.map(([id, value]) => ({ id, name: id, value, type: 'string' }));
	return node(name, 'n8n-nodes-base.set', 3.4, { assignments: { assignments } });
}

export interface NodeOptions {
	parameters: object;
	credentialId?: string;
	/** n8n's own settings of a node: `retryOnFail`, `onError`, … */
	settings?: object;
	name?: string;
	/**
	 * What n8n makes of a node: a tool of an agent, or what asks a person about another tool's calls.
	 */
	as?: 'Tool' | 'HitlTool';
}

/** What the node under test is called in a workflow, unless the workflow says otherwise. */
export const NODE = 'Outbound Messaging';

/** A credential for a sandbox. */
export const credentialFor = (
	{ url, headerName, apiKey }: Record<'url' | 'headerName' | 'apiKey', string>,
	values: object = {},
) => ({
	name: NODE,
	type: 'outboundMessagingApi',
	data: { baseUrl: url, apiKeyHeader: headerName, apiKey, ...values },
});

/** The node under test. */
export function outboundMessaging(options: NodeOptions) {
	const { parameters, credentialId, settings, name = NODE, as = '' } = options;
	const credentials = { outboundMessagingApi: { id: credentialId, name: 'Outbound Messaging' } };
	const more = { ...(credentialId && { credentials }), ...settings };
	const type = `n8n-nodes-outbound-messaging.outboundMessaging${as}`;
	return node(name, type, 1, parameters, more);
}

/** A parameter that the agent fills in. */
export const fromAI = (key: string, description: string, type = 'string') =>
	`={{ $fromAI('${key}', '${description}', '${type}') }}`;

/** From one node to another. */
export type Link = [
	from: string,
	to: string,
	where?: { output?: number; type?: NodeConnectionType },
];

/** From each node to the next one. */
export const links = (chain: NodeDefinition[], where?: Link[2]): Link[] =>
	chain.slice(1).map((to, index) => [chain[index].name, to.name, where]);

/** A workflow of nodes in a chain, in the order given. */
export const workflow = (name: string, chain: NodeDefinition[]) => graph(name, chain, links(chain));

/** A workflow of nodes connected in any way. */
export function graph(name: string, nodes: NodeDefinition[], links: Link[]): WorkflowDefinition {
	const connections: WorkflowDefinition['connections'] = {};
	for (const [from, to, { output = 0, type = 'main' } = {}] of links) {
		const outputs = ((connections[from] ??= {})[type] ??= []);
		while (outputs.length <= output) outputs.push([]);
		outputs[output].push({ node: to, type, index: 0 });
	}
	const pinned = nodes.filter((each) => each.pinned).map((each) => [each.name, each.pinned]);
	return {
		name,
		nodes: nodes.map(({ pinned: _, ...rest }, index) => ({ ...rest, position: [index * 220, 0] })),
		connections,
		pinData: Object.fromEntries(pinned),
		settings: { executionOrder: 'v1' },
		// Older releases want to be told.
		active: false,
	};
}
