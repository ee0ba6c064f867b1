/** The official client of the Model Context Protocol, from the copy that n8n has. */
import { randomUUID } from 'node:crypto';
import type { Client as N8nClient } from './client.cts';
import { fromN8n } from './release.cts';
import { graph, node, type Link, type NodeDefinition } from './workflow.cts';

interface McpClient {
	connect(transport: object): Promise<void>;
	callTool(call: {
		name: string;
		arguments: object;
	}): Promise<{ isError?: boolean; content: Array<{ type: string; text: string }> }>;
	close(): Promise<void>;
}

const SDK = '@modelcontextprotocol/sdk/client';
type Sdk = Record<'Client', new (info: object) => McpClient> &
	Record<'StreamableHTTPClientTransport', new (url: URL, options?: object) => object>;
const { Client } = fromN8n(`${SDK}/index.js`) as Sdk;
const { StreamableHTTPClientTransport } = fromN8n(`${SDK}/streamableHttp.js`) as Sdk;

/** @param token what the server asks for */
export async function connectTo(url: string, token?: string): Promise<McpClient> {
	const client = new Client({ name: 'test', version: '1.0.0' });
	const headers = token ? { authorization: `Bearer ${token}` } : {};
	await client.connect(
		new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
	);
	return client;
}

/** Publishes tools with n8n's MCP Server Trigger, and connects to it. */
export async function mcpServer(client: N8nClient, tools: NodeDefinition[]): Promise<McpClient> {
	const path = randomUUID();
	const parameters = { authentication: 'none', path };
	const type = '@n8n/n8n-nodes-langchain.mcpTrigger';
	const trigger = node('MCP', type, 2, parameters, { webhookId: path });
	const links = tools.map(({ name }): Link => [name, 'MCP', { type: 'ai_tool' }]);
	await client.publish(graph('MCP', [trigger, ...tools], links));
	return await connectTo(`${client.url}/mcp/${path}`);
}
