import { startSandbox, type Sandbox } from '../../sandbox/index.cts';
import {
	operationList,
	type MessageBody,
	type OperationName,
} from '../../sandbox/specification.cts';

export const bodies = {
	template: { template_id: 'welcome', channel_id: 'wa-1', customer_phone: '+4915112345678' },
	text: { customer_id: '42', text: 'Hello' },
	attachment: {
		customer_id: '42',
		attachment_type: 'image',
		attachment_url: 'https://files.example.com/a.png',
	},
} satisfies {
	[Name in OperationName as Name extends `send_${infer Kind}_message`
		? Kind
		: never]: MessageBody<Name>;
};

export type Kind = keyof typeof bodies;

/** What a response of the sandbox may hold. */
type AnyBody = { code: string; function_name?: string; extra: { customer_id: number } };

const JSON_TYPE = { 'content-type': 'application/json' };

/**
 * One sandbox for a test file, with a header and a key of its own; every test begins with an empty
 * ledger and no faults.
 */
export function useSandbox() {
	const used = {
		sandbox: undefined as unknown as Sandbox,
		/** @param body JSON, or the text as it is */
		async post(kind: Kind, body: unknown = bodies[kind], headers: Record<string, string> = {}) {
			const { url, headerName, apiKey } = used.sandbox;
			const operation = operationList.find(({ name }) => name === `send_${kind}_message`)!;
			const response = await fetch(url + operation.path, {
				method: 'POST',
				headers: { ...JSON_TYPE, [headerName]: apiKey, ...headers },
				body: typeof body === 'string' ? body : JSON.stringify(body),
				signal: AbortSignal.timeout(5000),
			});
			const json = (await response.json()) as AnyBody;
			// Every record that a test sees is one of the specification.
			if (json.function_name) {
				operation.validateResult(json);
				expect(operation.validateResult.errors).toBeNull();
			}
			return { status: response.status, json };
		},
		/** Calls the control interface. */
		async control(path: string, method = 'GET', body?: object): Promise<Response> {
			const content = body && { body: JSON.stringify(body), headers: JSON_TYPE };
			return await fetch(`${used.sandbox.inboxUrl}_sandbox/${path}`, { method, ...content });
		},
	};
	beforeAll(async () => {
		used.sandbox = await startSandbox({ headerName: 'X-Maker-Key', apiKey: 'k' });
	});
	beforeEach(() => {
		used.sandbox.ledger.clear();
		used.sandbox.faults.clear();
	});
	afterAll(() => used.sandbox.stop());
	return used;
}
