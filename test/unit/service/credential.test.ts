import { ExecuteContext } from 'n8n-core';
import type { IDataObject, IExecuteFunctions, INode, INodeParameters } from 'n8n-workflow';
import { createRunExecutionData, Workflow } from 'n8n-workflow';

import { RunRejected } from '../../../nodes/OutboundMessaging/delivery/runRejected';
import { readRunCredential } from '../../../nodes/OutboundMessaging/service/credential';

const ONE = { baseUrl: 'https://one.example', apiKeyHeader: 'X-Key', apiKey: 'secret' };
const NAME = 'outboundMessagingApi';

/** n8n's own context of a node, with a credential whose fields it evaluates as its server does. */
function n8nWith(stored: IDataObject, items: IDataObject[]) {
	const credentials = { [NAME]: { id: '1', name: NAME } };
	const shape = { id: '1', name: 'Sender', type: 'test', typeVersion: 1, parameters: {} };
	const node: INode = { ...shape, position: [0, 0], credentials };
	const nodeType = { description: { properties: [], credentials: [{ name: NAME }] } };
	const nodeTypes = { getByNameAndVersion: () => nodeType } as never;
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	let reads = 0;
	const getDecrypted = async (...[, , , mode, executeData, , values]: unknown[]) => {
		reads++;
		const { itemIndex, runExecutionData, connectionInputData } = values as never;
		const data = { ...stored } as INodeParameters;
		const run = [runExecutionData, 0, itemIndex, node.name, connectionInputData] as const;
		const more = [mode, {}, executeData, false, data] as never as [never, never, never];
		return workflow.expression.getParameterValue(data, ...run, ...more);
	};
	const credentialsHelper = { getDecrypted, isCredentialUsableByNode: () => true };
	const input = items.map((json) => ({ json }));
	const data = { main: [input] };
	const executeData = { node, data, source: { main: [] } };
	const run = ['manual', createRunExecutionData(), 0, input, data, executeData] as const;
	const n8n = new ExecuteContext(workflow, node, { credentialsHelper } as never, ...run, []);
	return { n8n, reads: () => reads };
}

const read = async (context: IExecuteFunctions) => (await readRunCredential(context)).credential;
const items = (count: number) =>
	Array.from({ length: count }, (_, row) => ({ row, key: 'secret' }));

it.each<[string, IDataObject, number, number]>([
	['without expressions, of one item: once', ONE, 1, 1],
	['without expressions, of 1,000 items: twice', ONE, 1000, 2],
	['with the same value everywhere: each', { ...ONE, apiKey: '={{ $json.key }}' }, 1000, 1001],
	['of a variable: each', { ...ONE, apiKey: '={{ "sec" + "ret" }}' }, 1000, 1001],
])('is read %s', async (_, stored, count, times) => {
	const { n8n, reads } = n8nWith(stored, items(count));
	expect(await read(n8n)).toEqual(ONE);
	expect(reads()).toBe(times);
});

it.each<[string, number]>([
	['={{ $json.row === 137 ? "other key" : "secret" }}', 137],
	['={{ $json.row > 198 ? "other key" : "secret" }}', 199],
	['={{ $itemIndex === 5 ? "other key" : "secret" }}', 5],
	['={{ $input.item?.json.row === 3 ? "other key" : "secret" }}', 3],
	['secret {{ $json.row }}', 1],
])('%s of item %i in 200 rejects the run, without its values', async (apiKey, itemIndex) => {
	const stored = { ...ONE, apiKey: apiKey.startsWith('=') ? apiKey : `=${apiKey}` };
	const error: unknown = await read(n8nWith(stored, items(200)).n8n).catch((thrown) => thrown);
	expect(error).toBeInstanceOf(RunRejected);
	const { failure } = error as RunRejected;
	const n8nCause = { cause: 'configuration-invalid' };
	expect(failure).toMatchObject({ reason: 'invalidInput', n8nCause });
	const title = `The credential isn't the same for item 0 and item ${itemIndex} (`;
	expect(failure.title).toContain(title);
	expect(failure.description).toContain('One step uses one credential');
	expect(JSON.stringify(failure)).not.toMatch(/example|secret|other key/);
});

const lacksField = (index: number) => (Number(index) === 1 ? { baseUrl: 'x' } : { ...ONE });
const takesNumbers = (index: number) => ({ ...ONE, apiKey: `key ${index.toFixed()}` });
it.each([lacksField, takesNumbers])('two items differ if one %p', async (credential) => {
	const getCredentials = async (...[, index]: [string, number]) => credential(index);
	const context = { getInputData: () => new Array(2), getCredentials };
	await expect(read(context as never)).rejects.toBeInstanceOf(RunRejected);
});
