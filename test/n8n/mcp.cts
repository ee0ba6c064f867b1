/** The official client of the Model Context Protocol, from the copy that n8n has. */
import { createRequire } from 'node:module';
import * as paths from '../../scripts/lib/paths.cts';

export interface McpClient {
	connect(transport: object): Promise<void>;
	listTools(): Promise<{ tools: McpTool[] }>;
	callTool(call: { name: string; arguments: object }): Promise<McpAnswer>;
	close(): Promise<void>;
}

export interface McpTool {
	name: string;
	description: string;
	inputSchema: { required: string[]; properties: Record<string, { description: string }> };
}

export interface McpAnswer {
	isError?: boolean;
	content: Array<{ type: string; text: string }>;
}

interface Sdk {
	Client: new (info: { name: string; version: string }) => McpClient;
	StreamableHTTPClientTransport: new (url: URL, options?: object) => object;
}

const load = createRequire(`${paths.n8n}/package.json`);
const { Client } = load('@modelcontextprotocol/sdk/client/index.js') as Sdk;
const { StreamableHTTPClientTransport } = load(
	'@modelcontextprotocol/sdk/client/streamableHttp.js',
) as Sdk;

/** @param options of the transport, headers for one */
export async function connectTo(url: string, options?: object): Promise<McpClient> {
	const client = new Client({ name: 'test', version: '1.0.0' });
	await client.connect(new StreamableHTTPClientTransport(new URL(url), options));
	return client;
}
