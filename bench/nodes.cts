/** What the benchmark installs in n8n next to our node: the source of the rows, and two rivals. Bundled by environment.cts. */
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

const ENTRIES = { mode: 'entries' } as const;

/**
 * The least that can be done with n8n's helper. Signing in, the helper adds the key from the credential, as n8n asks of a
 * node. With keys, also the least that tells a later execution what was sent,
 * and what was in flight when n8n was killed: one write for each group of messages that are in flight together.
 */
export class BenchFloor implements INodeType {
	description = describe(
		'benchFloor',
		'Bench Floor',
		[
			field('inFlight', { type: 'number', default: 1 }),
			field('hasKeys', { type: 'boolean', default: false }),
			field('signsIn', { type: 'boolean', default: false }),
		],
		{ credentials: ['benchApi', 'benchKeyApi'].map((name) => ({ name })) },
	);

	async execute(this: IExecuteFunctions) {
		const signsIn = this.getNodeParameter('signsIn', 0) as boolean;
		const type = signsIn ? 'benchKeyApi' : 'benchApi';
		const data = await this.getCredentials<ICredentialDataDecryptedObject>(type);
		const { baseUrl, apiKeyHeader, apiKey } = data;
		const request: IHttpRequestOptions = {
			method: 'POST',
			url: `${baseUrl as string}${TEXT_PATH}`,
			headers: signsIn ? undefined : { [apiKeyHeader as string]: apiKey },
			json: true,
		};
		const known = { credentialsDecrypted: { id: '', name: '', type, data } };
		const { httpRequest, httpRequestWithAuthentication } = this.helpers;
		const post = async (options: IHttpRequestOptions) =>
			signsIn
				? await httpRequestWithAuthentication.call(this, type, options, known)
				: await httpRequest(options);
		const count = this.getInputData().length;
		const output: INodeExecutionData[] = [];
		const inFlight = this.getNodeParameter('inFlight', 0) as number;
		let next = 0;
		const sendUntil = async (end: number) => {
			const send = async () => {
				while (next < end) {
					const item = next++;
					const body = { customer_id: customerId(item), text: 'Hello, your order is on its way.' };
					const json = (await post({ ...request, body })) as IDataObject;
					output[item] = { json, pairedItem: { item } };
				}
			};
			await Promise.all(Array.from({ length: inFlight }, send));
		};
		if (!this.getNodeParameter('hasKeys', 0)) await sendUntil(count);
		let accepted: string[] = [];
		while (next < count) {
			const end = Math.min(count, next + inFlight);
			const keys = Array.from({ length: end - next }, (_, index) => customerId(next + index));
			await this.helpers.checkProcessedAndRecord([...keys, ...accepted], 'node', ENTRIES);
			await sendUntil(end);
			accepted = keys.map((key) => `accepted ${key}`);
		}
		if (accepted.length > 0) {
			await this.helpers.checkProcessedAndRecord(accepted, 'node', ENTRIES);
		}
		return [output];
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

/** The credential that costs least: a function adds the header. */
export class BenchKeyApi implements ICredentialType {
	name = 'benchKeyApi';

	displayName = 'Bench Key API';

	properties = new BenchApi().properties;

	authenticate = async (
		{ apiKeyHeader, apiKey }: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	) => ({ ...request, headers: { ...request.headers, [apiKeyHeader as string]: apiKey } });
}
