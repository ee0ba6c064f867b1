/**
 * The credential in the HTTP Request node, for what the node has no operation for: the key stays at
 * home. Its test in the dialog is in test/ui.
 */
import fastify from 'fastify';
import { isAtLeast } from '../n8n/release.cts';
import { items, manualTrigger, node, workflow } from '../n8n/workflow.cts';
import { useN8n } from './help.cts';

const KEY = 'key-for-the-service-alone-0123456789';
const used = useN8n({ sandbox: { apiKey: KEY, basePath: '/gateway' } });

/** Another person's server, on another port of this machine; writes down what it is asked. */
const otherServer = fastify({ forceCloseConnections: true });
const asked: unknown[] = [];
otherServer.all('*', ({ url, headers }) => void asked.push({ url, headers }));

let otherUrl: string;
beforeAll(async () => {
	otherUrl = await otherServer.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => await otherServer.close());
beforeEach(() => void asked.splice(0));

const HTTP = 'Ask';

/**
 * Runs an HTTP Request node that posts a text message with this credential. @param more parameters
 */
async function ask(more: object, { version = 4.2, credentialId = used.credentialId } = {}) {
	const parameters = {
		method: 'POST',
		url: `${used.sandbox.url}/stable/open/customers/send-text-message`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'outboundMessagingApi',
		...{ sendBody: true, specifyBody: 'json', jsonBody: '={{ $json }}', options: {} },
		...more,
	};
	const credentials = { outboundMessagingApi: { id: credentialId, name: 'Outbound Messaging' } };
	const definition = workflow('HTTP', [
		manualTrigger(),
		items([{ customer_id: '42', text: 'by hand' }]),
		node(HTTP, 'n8n-nodes-base.httpRequest', version, parameters, { credentials }),
	]);
	const execution = await used.client.run((await used.client.createWorkflow(definition)).id);
	expect(JSON.stringify(execution.stored)).not.toContain(KEY);
	return execution;
}

const UNCHECKED = { allowUnauthorizedCerts: true };
const HOST = { parameters: [{ name: 'Host', value: 'other.example' }] };

// All requests that are held back, and what the user reads, are in test/unit/credentials.
test.each<[string, () => object, RegExp]>([
	['a proxy', () => ({ options: { proxy: otherUrl } }), /isn't sent through a proxy/],
	['unchecked certificates', () => ({ options: UNCHECKED }), /when the service's certificate is/],
	['a Host header', () => ({ sendHeaders: true, headerParameters: HOST }), /with a 'Host' header/],
	['another port', () => ({ url: otherUrl }), /only sent to the host of/],
])('%s leads the key nowhere, and the user reads why', async (_, more, words) => {
	const execution = await ask(more());
	expect([asked, used.requests()]).toEqual([[], []]);
	expect(execution.nodeError(HTTP).message).toMatch(words);
	expect(execution.nodeError(HTTP).description).toMatch(/^(Remove|Turn off|Use) /);
});

test('a key pasted with a space and a line end is in no error', async () => {
	used.sandbox.faults.set([{ what: 'status', status: 400 }]);
	const credentialId = await used.createCredential({ apiKey: ` ${KEY}\n` });
	expect(await ask({}, { credentialId })).toMatchObject({ status: 'error' });
	expect(used.requests()).toMatchObject([{ keyOk: true }]);
});

/** The one that older releases have, and the one that new workflows get. */
const VERSIONS = [4.2, ...(isAtLeast('2.40.0') ? [4.4] : [])];

test.each(VERSIONS)('version %s: a request to the service has the key', async (version) => {
	const execution = await ask({}, { version });
	expect(execution.items(HTTP)).toMatchObject([{ extra: { customer_id: 42, success: true } }]);
	const body = { customer_id: '42', text: 'by hand' };
	expect(used.requests()).toMatchObject([{ keyOk: true, body }]);
});

test('a redirect is not followed, however the node is set', async () => {
	used.sandbox.faults.set([{ what: 'redirect', status: 307, location: otherUrl }]);
	const redirect = { redirect: { followRedirects: true, maxRedirects: 21 } };
	const execution = await ask({ options: { redirect } });
	expect(asked).toEqual([]);
	expect(execution.nodeError(HTTP)).toMatchObject({ httpCode: '307' });
});
