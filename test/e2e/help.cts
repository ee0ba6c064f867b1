/** What every end-to-end test needs: n8n with the node, a sandbox, a credential. */
import { startSandbox, type FaultRule, type SandboxOptions } from '../../sandbox/index.cts';
import { poll } from '../../scripts/lib/child.cts';
import { agentWorkflow, startModel, type AgentOptions, type Script } from '../n8n/agent.cts';
import { resume, signIn, type Client } from '../n8n/client.cts';
import { startN8n, type Instance, type InstanceOptions } from '../n8n/instance.cts';
import * as builders from '../n8n/workflow.cts';
import { PUBLIC_URL, sharedN8n } from './sharedN8n.cts';

export const { NODE } = builders;

const BOOT_TIMEOUT_MS = 240_000;

jest.setTimeout(600_000);

/** A workflow of trigger, pinned items, the node, and whatever shall follow. */
interface Definition extends builders.NodeOptions {
	/** `json` of the items. */
	list?: object[];
	/** Nodes that follow. */
	after?: builders.NodeDefinition[];
}

interface SavedAgent extends AgentOptions {
	/** What the model does. */
	script: Script;
	tool?: Partial<builders.NodeOptions>;
}

interface UsedOptions {
	sandbox?: SandboxOptions;
	/** What arrived in one test is there in the next one. */
	keepLedger?: boolean;
}

/** A sandbox of its own for a test file, and the n8n that it shares with others. */
export const useN8n = (options: UsedOptions = {}) =>
	prepare(options, (used) => {
		used.client = resume(sharedN8n());
	});

/** An n8n of its own too, for a test file that ends it, or reads its files or log. */
export const useOwnN8n = (options: UsedOptions & InstanceOptions = {}) =>
	prepare(options, async (used) => {
		used.started.push((used.n8n = await startN8n(options)));
		used.client = await signIn(used.n8n.url);
	});

function prepare(
	{ sandbox, keepLedger = false, package: tarball }: UsedOptions & InstanceOptions,
	reach: (used: UsedN8n) => void | Promise<void>,
) {
	const used = new UsedN8n();
	beforeAll(async () => {
		used.started.push((used.sandbox = await startSandbox(sandbox)));
		await reach(used);
		// Without the package, n8n doesn't know the credential.
		if (tarball !== false) used.credentialId = await used.createCredential();
	}, BOOT_TIMEOUT_MS);
	beforeEach(() => {
		if (keepLedger) return;
		used.sandbox.ledger.clear();
		used.sandbox.faults.clear();
	});
	afterAll(async () => {
		for (const each of used.started) await each.stop();
	}, BOOT_TIMEOUT_MS);
	return used;
}

class UsedN8n {
	started: Array<{ stop(): Promise<unknown> }> = [];
	sandbox!: Awaited<ReturnType<typeof startSandbox>>;
	client!: Client;
	/** Of its own only. */
	n8n!: Instance;
	/** Of a credential for the sandbox. */
	credentialId!: string;

	createCredential = async (values?: object): Promise<string> =>
		(await this.client.createCredential(builders.credentialFor(this.sandbox, values))).id;

	/** "Test" in the dialog of the credential, with some of its values changed. */
	testCredential = async (values?: object) => {
		const credentials = { id: this.credentialId, ...builders.credentialFor(this.sandbox, values) };
		return await this.client.call<object>('POST', '/rest/credentials/test', { credentials });
	};

	/** The node as a tool of an agent, which fills in the customer and the text. */
	tool = ({ name = 'Send Text', parameters, settings }: Partial<builders.NodeOptions> = {}) =>
		builders.outboundMessaging({
			as: 'Tool',
			name,
			credentialId: this.credentialId,
			parameters: {
				operation: 'sendText',
				customerId: builders.fromAI('customer_id', 'The ID of the customer'),
				text: builders.fromAI('text', 'As the customer shall get it'),
				...parameters,
			},
			settings,
		});

	/** A model that follows a script, and a credential for it. */
	startModel = async () => {
		const model = await startModel();
		this.started.push(model);
		const data = { apiKey: 'no-key', url: model.url, header: false };
		const credential = { name: 'Scripted model', type: 'openAiApi', data };
		return { ...model, credential: await this.client.createCredential(credential) };
	};

	/** A workflow of an agent with the node as its tool, and the model of the agent. */
	saveAgent = async ({ script, tool, ...options }: SavedAgent) => {
		const model = await this.startModel();
		model.follow(script);
		const definition = agentWorkflow(this.tool(tool), model.credential.id, options);
		return { id: (await this.client.createWorkflow(definition)).id, model };
	};

	define = ({ list, after = [], ...node }: Definition) => {
		const sender = builders.outboundMessaging({ credentialId: this.credentialId, ...node });
		const before = [builders.manualTrigger(), ...(list ? [builders.items(list)] : [])];
		return builders.workflow('Test', [...before, sender, ...after]);
	};

	/** @returns id of the saved workflow */
	save = async (definition: Definition): Promise<string> =>
		(await this.client.createWorkflow(this.define(definition))).id;

	/** Saves and runs it. */
	send = async (definition: Definition) => await this.client.run(await this.save(definition));

	/** A link that n8n has put out, where it answers here. */
	reachable = (link: string) => link.replace(PUBLIC_URL, this.client.url);

	/** Calls a published webhook. */
	callWebhook = async <T,>(path: string, body: object, headers: Record<string, string> = {}) => {
		const response = await fetch(`${this.client.url}/webhook/${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', connection: 'close', ...headers },
			body: JSON.stringify(body),
		});
		const text = await response.text();
		// n8n itself turns callers away in plain text.
		return { status: response.status, body: (/^[{[]/.test(text) && JSON.parse(text)) as T };
	};

	/** Waits until an execution waits for an answer, or has ended. */
	waiting = async (executionId: string) =>
		await poll(
			async () => {
				const execution = await this.client.execution(executionId);
				return !['new', 'running'].includes(execution.status) && execution;
			},
			{ what: `execution ${executionId} to wait` },
		);

	/**
	 * The links of all questions, or of those to a recipient, oldest first, where n8n answers here.
	 */
	links = (to?: string) =>
		this.accepted().flatMap(({ recipient, body: { text, attributes } }) => {
			const words = text ?? Object.values(attributes ?? {}).at(-1) ?? '';
			const [link] = /https?:\S+question=\S+/.exec(words) ?? [];
			return link && recipient === (to ?? recipient) ? [this.reachable(link)] : [];
		});

	/** Sends the form of a question's page with what was typed, or with the position of a button. */
	post = async (link: string, answer: string, token = 'of this page') =>
		await fetch(link, { method: 'POST', body: new URLSearchParams({ answer, token }) });

	/** Presses the button with this label on a question's page. */
	answer = async (link: string, label: string) => {
		const opened = await fetch(link);
		// There's no page, and so no position, before the execution waits.
		if (!opened.ok) return opened;
		const position = new RegExp(`value="(\\d)"[^>]*>${label}<`).exec(await opened.text())![1];
		return await this.post(link, position);
	};

	requests = () => this.sandbox.ledger.entries();

	accepted = () => this.sandbox.ledger.accepted();

	/** Who got a message, in the order of the messages. */
	recipients = () => this.accepted().map(({ recipient }) => recipient);
}

/** Parameters of a text message whose fields come from the item. */
export const textOf = (options: object = {}, safeguards: object = {}) => ({
	operation: 'sendText',
	customerId: '={{ $json.customer }}',
	text: '={{ $json.text }}',
	options,
	safeguards,
});

/** An agent that works on an item for each of these customers, with the customer as its prompt. */
export const forEach = (customers: string[]) => ({
	list: customers.map((customerId) => ({ customerId })),
	prompt: '={{ $json.customerId }}',
});

/** The service rejects a message. */
export const optedOut = (when: FaultRule['when']): FaultRule => ({
	what: 'status',
	status: 400,
	body: { error: 'Customer has opted out', code: 'opted_out', success: false },
	when,
});

/** Works through a list with a few at a time; the results are in the order of the list. */
export async function inParallel<T, R>(
	list: T[],
	atATime: number,
	work: (each: T, index: number) => Promise<R>,
): Promise<R[]> {
	const results: R[] = [];
	const queue = list.entries();
	const worker = async () => {
		for (const [index, each] of queue) results[index] = await work(each, index);
	};
	await Promise.all(Array.from({ length: atATime }, worker));
	return results;
}
