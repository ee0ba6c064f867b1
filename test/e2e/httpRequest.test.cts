/** The HTTP Request node with this credential, for what the node has no operation for: the key stays at home. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FaultRule } from '../../sandbox/index.cts';
import type { Execution } from '../n8n/execution.cts';
import { items, manualTrigger, node, workflow } from '../n8n/workflow.cts';
import { isAtLeast } from '../n8n/release.cts';
import { useN8n } from './help.cts';

const KEY = 'key-for-the-service-alone-0123456789';
const PATH = '/stable/open/customers/send-text-message';
const used = useN8n({ sandbox: { apiKey: KEY, basePath: '/gateway' } });

/** Another person's server, on another port of this machine; writes down what it is asked. */
let otherServer: {
	requests: Array<{ url?: string; headers: string }>;
	port: number;
	server: http.Server;
};

beforeAll(async () => {
	const requests: typeof otherServer.requests = [];
	const server = http.createServer((request, response) => {
		requests.push({ url: request.url, headers: request.rawHeaders.join('\n') });
		response.setHeader('content-type', 'application/json');
		response.end('{"otherServer":true}');
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	otherServer = { requests, port: (server.address() as AddressInfo).port, server };
});

afterAll(() => new Promise((resolve) => otherServer.server.close(resolve)));

beforeEach(() => void (otherServer.requests.length = 0));

const HTTP = 'Ask';

interface Asking {
	version?: number;
	options?: object;
	credentialId?: string;
	/** Further parameters of the node. */
	[parameter: string]: unknown;
}

/** Runs an HTTP Request node that posts a text message with this credential. */
async function ask(
	url: string,
	{ version = 4.2, options = {}, credentialId = used.credentialId, ...more }: Asking = {},
) {
	const definition = workflow('HTTP', [
		manualTrigger(),
		items([{ customer_id: '42', text: 'by hand' }]),
		node(
			HTTP,
			'n8n-nodes-base.httpRequest',
			version,
			{
				method: 'POST',
				url,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'outboundMessagingApi',
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '={{ $json }}',
				options,
				...more,
			},
			{
				credentials: {
					outboundMessagingApi: { id: credentialId, name: 'Outbound Messaging' },
				},
			},
		),
	]);
	const { id } = await used.client.createWorkflow(definition);
	return await used.client.run(id);
}

const elsewhere = (host: string) => `http://${host}:${otherServer.port}/collect`;
const service = () => used.sandbox.url + PATH;
const hostHeader = {
	sendHeaders: true,
	headerParameters: { parameters: [{ name: 'Host', value: 'other.example' }] },
};
const WRONG_HOST = /The API key is only sent to the host of the credential's 'Base URL'/;

test.each<[string, () => string, () => Asking, RegExp, RegExp]>([
	[
		'a proxy of the node',
		service,
		() => ({ options: { proxy: `http://127.0.0.1:${otherServer.port}` } }),
		/isn't sent through a proxy that is set in a node/,
		/Remove 'Proxy'/,
	],
	[
		'certificates that are not checked',
		service,
		() => ({ options: { allowUnauthorizedCerts: true } }),
		/only sent when the service's certificate is checked/,
		/Turn off 'Ignore SSL Issues/,
	],
	[
		'another Host header',
		service,
		() => hostHeader,
		/isn't sent with a 'Host' header of another host/,
		/Remove the 'Host' header/,
	],
	['another port', () => elsewhere('127.0.0.1'), () => ({}), WRONG_HOST, /Use a URL of that host/],
	['another name', () => elsewhere('localhost'), () => ({}), WRONG_HOST, /Use a URL of that host/],
])('%s leads the key nowhere, and the user reads why', async (_, url, more, what, fix) => {
	const execution = await ask(url(), more());
	expect([otherServer.requests, used.requests()]).toEqual([[], []]);
	expect(execution.status).toBe('error');
	expect(execution.nodeError(HTTP).message).toMatch(what);
	expect(execution.nodeError(HTTP).description).toMatch(fix);
	expectNoKey(execution);
});

test.each<[string, FaultRule]>([
	['a 400', { what: 'status', status: 400 }],
	['a page', { what: 'html', status: 502 }],
	['a cut connection', { what: 'cutBefore' }],
])('a key pasted with a space and a line end is in no error: %s', async (_, fault) => {
	used.sandbox.faults.set([fault]);
	const credentialId = await used.createCredential({ apiKey: ` ${KEY}\n` });
	const execution = await ask(service(), { credentialId });
	expect(execution.status).toBe('error');
	expect(used.requests()).toMatchObject([{ keyOk: true }]);
	expectNoKey(execution);
});

const expectNoKey = (execution: Execution) =>
	expect(JSON.stringify(execution.stored)).not.toContain(KEY);

/** The one that older releases have, and the one that new workflows get. */
const VERSIONS = [4.2, ...(isAtLeast('2.40.0') ? [4.4] : [])];

test.each(VERSIONS)('version %s: a request to the service has the key', async (version) => {
	const execution = await ask(service(), { version });
	expect(execution.status).toBe('success');
	expect(execution.items(HTTP)).toMatchObject([
		{ function_name: 'send_text_message', extra: { customer_id: 42, success: true } },
	]);
	expect(used.requests()).toMatchObject([
		{ keyOk: true, body: { customer_id: '42', text: 'by hand' } },
	]);
	expectNoKey(execution);
});

test('a path outside of the Base URL has it too', async () => {
	const origin = new URL(used.sandbox.url).origin;
	const execution = await ask(`${origin}/elsewhere`);
	// There is nothing at this URL, and it is the service that says so.
	expect(execution.nodeError(HTTP)).toMatchObject({ httpCode: '404' });
});

test.each([
	['307 to another name', 307, 'localhost'],
	['307 to another port', 307, '127.0.0.1'],
	['302 to another port', 302, '127.0.0.1'],
])('a redirect is not followed, however the node is set: %s', async (_, status, host) => {
	used.sandbox.faults.set([{ what: 'redirect', status, location: elsewhere(host) }]);
	const execution = await ask(service(), {
		options: { redirect: { redirect: { followRedirects: true, maxRedirects: 21 } } },
	});
	expect(otherServer.requests).toEqual([]);
	expect(execution.status).toBe('error');
	expect(execution.nodeError(HTTP)).toMatchObject({
		httpCode: String(status),
		message: expect.stringContaining(String(status)),
	});
	expectNoKey(execution);
});
