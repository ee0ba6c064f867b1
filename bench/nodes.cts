/**
 * What the benchmark installs in n8n next to our node: the source of the rows, and two rivals.
 * Bundled by environment.cts.
 */
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import v8 from 'node:v8';
import vm from 'node:vm';
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

export const TEXT_PATH = '/stable/open/customers/send-text-message';

const NAMES = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Frances', 'Ken'];

/** Every row is another customer. */
export const customerId = (index: number) => String(500_000_000 + index);

const describe = (
	name: string,
	displayName: string,
	properties: INodeProperties[],
	more: Partial<INodeTypeDescription> = {},
): INodeTypeDescription => ({
	name,
	displayName,
	group: ['transform'],
	version: 1,
	description: displayName,
	defaults: { name: displayName },
	inputs: ['main'],
	outputs: ['main'],
	properties,
	...more,
});

const field = (name: string, more: Partial<INodeProperties> = {}): INodeProperties => ({
	...{ displayName: name, name, type: 'string', default: '' },
	...more,
});

/** The customer list: pinned data has a limit, and user code would need a runner. */
export class BenchRows implements INodeType {
	description = describe('benchRows', 'Bench Rows', [
		field('count', { type: 'number', default: 1 }),
	]);

	async execute(this: IExecuteFunctions) {
		collectGarbage();
		const length = this.getNodeParameter('count', 0) as number;
		const row = (_: unknown, index: number) => ({
			json: {
				customerId: customerId(index),
				firstName: NAMES[index % NAMES.length],
				phone: `+4915${10_000_000 + index}`,
				city: 'Berlin',
			},
		});
		return [Array.from({ length }, row)];
	}
}

/** So that no one pays for what the rival before has left behind. */
function collectGarbage() {
	v8.setFlagsFromString('--expose-gc');
	(vm.runInNewContext('gc') as () => void)();
}

/** A minimal declarative node: the fields say where they go, n8n does the rest. */
export class BenchDeclarative implements INodeType {
	description = describe(
		'benchDeclarative',
		'Bench Declarative',
		[
			field('operation', {
				type: 'hidden',
				default: 'send',
				routing: { request: { method: 'POST', url: TEXT_PATH } },
			}),
			field('customerId', { routing: { send: { type: 'body', property: 'customer_id' } } }),
			field('text', { routing: { send: { type: 'body', property: 'text' } } }),
		],
		{
			credentials: [{ name: 'benchApi', required: true }],
			requestDefaults: { baseURL: '={{$credentials.baseUrl}}' },
		},
	);
}

/** More of a response isn't read, in bytes. */
const MAX_BYTES = 1_000_000;

/**
 * The least that can be done with n8n's helpers: a constant text, posted to one customer after the
 * other. `isLimited`: with n8n's authentication, and no more of a response than MAX_BYTES.
 */
export class BenchFloor implements INodeType {
	description = describe(
		'benchFloor',
		'Bench Floor',
		[
			field('inFlight', { type: 'number', default: 1 }),
			field('isLimited', { type: 'boolean', default: false }),
		],
		{ credentials: [{ name: 'benchApi' }] },
	);

	async execute(this: IExecuteFunctions) {
		const data = await this.getCredentials('benchApi');
		const { baseUrl, apiKeyHeader, apiKey } = data;
		const request: IHttpRequestOptions = {
			method: 'POST',
			url: `${baseUrl as string}${TEXT_PATH}`,
			json: true,
		};
		const headers = { [apiKeyHeader as string]: apiKey };
		const post = async (body: IDataObject) =>
			(await this.helpers.httpRequest({ ...request, headers, body })) as IDataObject;
		// Otherwise, n8n reads and decrypts the credential for each request.
		const credentialsDecrypted = { id: '', name: '', type: 'benchHeaderApi', data };
		const postLimited = async (body: IDataObject) => {
			const { body: stream } = (await this.helpers.httpRequestWithAuthentication.call(
				this,
				'benchHeaderApi',
				{ ...request, body, encoding: 'stream', returnFullResponse: true },
				{ credentialsDecrypted },
			)) as { body: Readable };
			return JSON.parse(await text(atMost(stream)));
		};
		const postOne = this.getNodeParameter('isLimited', 0) ? postLimited : post;
		const count = this.getInputData().length;
		const output: INodeExecutionData[] = [];
		let next = 0;
		const send = async () => {
			while (next < count) {
				const item = next++;
				const body = { customer_id: customerId(item), text: 'Hello, your order is on its way.' };
				const json = await postOne(body);
				output[item] = { json, pairedItem: { item } };
			}
		};
		const inFlight = this.getNodeParameter('inFlight', 0) as number;
		await Promise.all(Array.from({ length: inFlight }, send));
		return [output];
	}
}

async function* atMost(chunks: AsyncIterable<Buffer>) {
	let bytes = 0;
	for await (const chunk of chunks) {
		bytes += chunk.length;
		if (bytes > MAX_BYTES) throw new Error('The response is too large');
		yield chunk;
	}
}

/** The credential as most community packages write it: generic, with expressions. */
export class BenchApi implements ICredentialType {
	name = 'benchApi';

	displayName = 'Bench API';

	properties = ['baseUrl', 'apiKeyHeader', 'apiKey'].map((name) => field(name));

	authenticate = {
		type: 'generic' as const,
		properties: { headers: { '={{$credentials.apiKeyHeader}}': '={{$credentials.apiKey}}' } },
	};
}

/** The same with a function: an expression costs more than the rest of a request. */
export class BenchHeaderApi implements ICredentialType {
	name = 'benchHeaderApi';

	displayName = 'Bench Header API';

	properties = new BenchApi().properties;

	authenticate = async (
		{ apiKeyHeader, apiKey }: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => ({
		...options,
		headers: { ...options.headers, [String(apiKeyHeader)]: apiKey },
	});
}
