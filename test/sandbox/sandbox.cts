import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/index.cts';
import { operationList, type MessageBody } from '../../sandbox/specification.cts';

export const paths = {
	template: '/stable/open/whatsapp/send-template-message',
	text: '/stable/open/customers/send-text-message',
	attachment: '/stable/open/customers/send-attachment-message',
};

export type Kind = keyof typeof paths;

export const bodies = {
	template: { template_id: 'welcome', channel_id: 'wa-1', customer_phone: '+4915112345678' },
	text: { customer_id: '42', text: 'Hello' },
	attachment: {
		customer_id: '42',
		attachment_type: 'image',
		attachment_url: 'https://files.example.com/a.png',
	},
} satisfies Record<Kind, MessageBody>;

/** One sandbox for a test file; every test begins with an empty ledger and no faults. */
export function useSandbox(options?: SandboxOptions): UsedSandbox {
	const used = new UsedSandbox();
	beforeAll(async () => {
		used.sandbox = await startSandbox(options);
	});
	beforeEach(() => {
		used.sandbox.ledger.clear();
		used.sandbox.faults.clear();
	});
	afterAll(() => used.sandbox.stop());
	return used;
}

class UsedSandbox {
	sandbox!: Sandbox;

	/** @param body JSON, or the text as it is */
	async post(
		kind: Kind,
		body: unknown = bodies[kind],
		{ headers = {}, timeout = 5000 }: { headers?: Record<string, string>; timeout?: number } = {},
	): Promise<ReadResponse> {
		const { url, headerName, apiKey } = this.sandbox;
		const response = await fetch(url + paths[kind], {
			method: 'POST',
			redirect: 'manual',
			headers: { 'content-type': 'application/json', [headerName]: apiKey, ...headers },
			body: typeof body === 'string' ? body : JSON.stringify(body),
			signal: AbortSignal.timeout(timeout),
		});
		const answer = await read(response);
		if (typeof answer.json === 'object' && 'function_name' in answer.json) checkRecord(answer.json);
		return answer;
	}

	/** What a credential check does: a POST without content. */
	async postNothing(key: string | null = this.sandbox.apiKey): Promise<ReadResponse> {
		const { url, headerName } = this.sandbox;
		const headers: Record<string, string> = key === null ? {} : { [headerName]: key };
		return await read(
			await fetch(url + paths.text, { method: 'POST', redirect: 'manual', headers }),
		);
	}

	/** Calls the control interface. */
	async control(path: string, method = 'GET', body?: unknown): Promise<Response> {
		return await fetch(`${this.sandbox.inboxUrl}_sandbox/${path}`, {
			method,
			...(body !== undefined && {
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			}),
		});
	}
}

/** What any response of the sandbox may hold, beside what the specification says. */
export interface AnyBody {
	id: string;
	code: string;
	extra: { customer_id: number; success: boolean };
}

interface ReadResponse {
	status: number;
	headers: Headers;
	text: string;
	/** Undefined if the text isn't JSON. */
	json: AnyBody;
}

/** Every record that a test sees is one of the specification. */
function checkRecord(record: object & { function_name?: unknown }): void {
	const { validateResult } = operationList.find(({ name }) => name === record.function_name)!;
	validateResult(record);
	expect(validateResult.errors).toBeNull();
}

async function read(response: Response): Promise<ReadResponse> {
	const text = await response.text();
	let json: unknown;
	try {
		json = JSON.parse(text);
	} catch {
		json = undefined;
	}
	return { status: response.status, headers: response.headers, text, json: json as AnyBody };
}
