/* eslint-disable @n8n/community-nodes/no-restricted-globals,
	@n8n/community-nodes/no-restricted-imports -- a test may wait, and has Node's modules */
import './environment';

import { setTimeout as delay } from 'node:timers/promises';

import { parse, stringify } from 'flatted';
import {
	DataDeduplicationService,
	ExecutionLifecycleHooks,
	WebhookContext,
	WorkflowExecute,
} from 'n8n-core';
import type * as n8n from 'n8n-workflow';
import { createRunExecutionData, Workflow } from 'n8n-workflow';

import { OutboundMessagingApi } from '../../credentials/OutboundMessagingApi.credentials';
import { Deduplication } from './deduplication';
import { failing, nodeTypes } from './nodeTypes';
import type { FaultRule, Sandbox, SandboxOptions } from '../../sandbox/index.cts';
import { startSandbox } from '../../sandbox/index.cts';
import { startVirtualTime, stopVirtualTime, time } from './virtualTime';
import type { Sending } from './workflows';
import { customer, customers, NODE, toSend } from './workflows';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof import('./virtualTime')>('./virtualTime').withVirtualSleep(),
);

type Decrypt = Parameters<n8n.ICredentialsHelper['getDecrypted']>;

/** The credential of the tests, handled as n8n handles it. */
class Credentials {
	private readonly type = new OutboundMessagingApi();
	data: n8n.IDataObject = {};
	/** n8n's server evaluates the fields for the item that asks. */
	async getDecrypted(...[{ variables: $vars }, , , mode, executeData, raw, asks]: Decrypt) {
		if (raw) return this.data as n8n.ICredentialDataDecryptedObject;
		const { workflow, node, runExecutionData, runIndex, itemIndex, connectionInputData } = asks!;
		const data = { ...this.data } as n8n.INodeParameters;
		const run = [runExecutionData, runIndex, itemIndex, node.name, connectionInputData] as const;
		const more = [mode, { $vars }, executeData, false, data] as const;
		return workflow.expression.getParameterValue(data, ...run, ...more) as n8n.IDataObject;
	}
	authenticate = async (
		credentials: n8n.ICredentialDataDecryptedObject,
		_: string,
		request: n8n.IHttpRequestOptions,
	) => await this.type.authenticate(credentials, request);
	preAuthentication = async () => {};
	isCredentialUsableByNode = () => true;
	getParentTypes = () => [];
	getCredentialsProperties = () => this.type.properties;
}

/** How an execution ended, read as the editor and the database would show it. */
export class Execution {
	/** @param stored what n8n's database has of it, if that isn't how it ended */
	constructor(
		private readonly engine: Engine,
		readonly workflow: n8n.IWorkflowBase,
		readonly run: n8n.IRun,
		readonly id: string,
		private readonly stored?: string,
	) {}

	get status() {
		return this.run.status;
	}

	get error() {
		return this.run.data.resultData.error;
	}

	/** What the error says, both parts of it. */
	get words(): string {
		return `${this.error?.message}\n${this.error?.description}`;
	}

	runs(name = NODE): n8n.ITaskData[] {
		return this.run.data.resultData.runData[name] ?? [];
	}

	/** Items at an output of the node's last run. */
	items(output = 0, name = NODE): n8n.INodeExecutionData[] {
		return this.runs(name).at(-1)?.data?.main?.[output] ?? [];
	}

	json(output = 0, name = NODE): n8n.IDataObject[] {
		return this.items(output, name).map(({ json }) => json);
	}

	/** What became of each item at the first output. */
	deliveries(): string[] {
		return this.json().map(deliveryOf);
	}

	/** The notes above the output of the node's last run. */
	hints(): string[] {
		return (this.runs().at(-1)?.hints ?? []).map(({ message }) => message);
	}

	/**
	 * What n8n's server does for "Retry with original workflow" or, when one is given, "with
	 * currently saved workflow".
	 */
	async retry(current?: n8n.IWorkflowBase): Promise<Execution> {
		if (this.run.finished) throw new Error('The execution succeeded, so it cannot be retried');
		const data = this.loaded();
		if (!data.executionData) throw new Error('The execution stopped before n8n saved its data');
		const { lastNodeExecuted = '', runData } = data.resultData;
		delete data.resultData.error;
		if (runData[lastNodeExecuted]?.at(-1)?.error !== undefined) runData[lastNodeExecuted].pop();
		// It fills in the defaults of what the saved workflow leaves out.
		const saved = current && fromDatabase(current);
		for (const entry of saved ? (data.executionData?.nodeExecutionStack ?? []) : []) {
			const node = saved?.getNode(entry.node.name);
			if (!node) throw new Error(`Could not find the node "${entry.node.name}"`);
			entry.node = node;
		}
		return await this.engine.execute(current ?? this.workflow, 'retry', data).ended;
	}

	/**
	 * What n8n does when someone opens the link that an execution waits for, or sends its form.
	 * @param status of n8n's response: it doesn't continue the execution if it isn't 200
	 * @returns what that one sees, and the execution that continues with an answer
	 */
	async open(link: string, body?: unknown, contentType = FORM, status = 200) {
		const data = this.loaded();
		const [entry] = data.executionData!.nodeExecutionStack;
		entry.node.disabled = true;
		data.waitTill = undefined;
		data.resultData.runData[entry.node.name].pop();
		const query = Object.fromEntries(new URL(link).searchParams);
		const method = body === undefined ? 'GET' : 'POST';
		const httpRequest = { method, query, headers: { 'content-type': contentType }, body };
		const { httpResponse, ...answered } = await this.engine.webhook(this, data, httpRequest);
		const page = String(answered.webhookResponse);
		Object.assign(httpResponse, { headersSent: true, statusCode: status });
		if (!answered.workflowData || status !== 200) return { page, execution: undefined };
		entry.data.main = answered.workflowData;
		entry.metadata = { ...entry.metadata, forwardAllOutputs: true };
		const { workflow, id } = this;
		return { page, execution: await this.engine.execute(workflow, 'trigger', data, id).ended };
	}

	private loaded(): n8n.IRunExecutionData {
		return parse(this.stored ?? stringify(this.run.data)) as n8n.IRunExecutionData;
	}
}

/** An execution that begins at the first node of a workflow, with these items. */
function beginningAt(workflow: n8n.IWorkflowBase, items: n8n.IDataObject[]) {
	const data = { main: [items.map((json) => ({ json }))] };
	const nodeExecutionStack = [{ node: workflow.nodes[0], data, source: null }];
	return createRunExecutionData({ executionData: { nodeExecutionStack } });
}

/** No object is shared with an earlier run. */
const fromDatabase = (workflow: n8n.IWorkflowBase) =>
	new Workflow({ ...structuredClone(workflow), nodeTypes });

/** So long without a request, an execution hangs: before its test is over. */
const QUIET_MS = 50_000;

const LOOPBACK = 'http://127.0.0.1:5678';
const FORM = 'application/x-www-form-urlencoded';

/** What an output item says about its message. */
export function deliveryOf({ dryRun, skipped, function_name, details }: n8n.IDataObject): string {
	if (dryRun === true) return 'dryRun';
	if (skipped === true) return 'skipped';
	return function_name === undefined ? (details as { delivery: string }).delivery : 'accepted';
}

/** A run that is under way, and the button that stops it. */
export type Running = { ended: Promise<Execution>; cancel(): void };

/**
 * n8n's real engine on one side and the sandbox on the other. What n8n's server does around the
 * engine is restated here and in deduplication.ts, as read in n8n 2.40.7: retries, waiting and its
 * page, the credential's expressions, stored keys. The real server is in test/e2e.
 */
export class Engine {
	sandbox!: Sandbox;
	readonly credentials = new Credentials();
	readonly deduplication = new Deduplication();
	private executions = 0;
	/** n8n's variables, as `$vars`. */
	variables: n8n.IDataObject = {};
	/** What n8n takes from WEBHOOK_URL. */
	publicUrl = LOOPBACK;
	/** How an execution begins, and that of a sub-workflow's caller. */
	mode: n8n.WorkflowExecuteMode = 'trigger';
	callerMode?: n8n.WorkflowExecuteMode;
	/** The stored source of the execution, and of its callers. */
	sources?: n8n.WorkflowExecuteMode[];

	get ledger() {
		return this.sandbox.ledger;
	}

	/** The recipients of all requests, oldest first. */
	received(): Array<string | null> {
		return this.ledger.entries().map(({ recipient }) => recipient);
	}

	/** The recipients of all messages that were accepted, oldest first. */
	accepted(): Array<string | null> {
		return this.ledger.accepted().map(({ recipient }) => recipient);
	}

	/** How many messages each of the first customers got. */
	timesDelivered(count: number): number[] {
		const counts = this.ledger.deliveriesByRecipient();
		return Array.from({ length: count }, (_, index) => counts.get(customer(index)) ?? 0);
	}

	reset(): void {
		this.sandbox.faults.clear();
		this.sandbox.ledger.clear();
		this.deduplication.reset();
		this.useCredential();
		this.publicUrl = LOOPBACK;
		this.mode = 'trigger';
		this.callerMode = undefined;
		this.sources = undefined;
		this.variables = {};
		// A test begins without the requests that the last one left in flight.
		time.onTheirWay = 0;
		failing.times = 0;
	}

	/** Values of the credential other than the sandbox's own. */
	useCredential(values: n8n.IDataObject = {}): void {
		const { url, headerName, apiKey } = this.sandbox;
		this.credentials.data = { baseUrl: url, apiKeyHeader: headerName, apiKey, ...values };
	}

	/** What the service does from now on; nothing unusual without rules. */
	faults(...rules: FaultRule[]): void {
		this.sandbox.faults.set(rules);
	}

	async run(workflow: n8n.IWorkflowBase, items = customers(2)): Promise<Execution> {
		return await this.start(workflow, items).ended;
	}

	/** Sends a list with the node under test. */
	async send(spec: Sending, items?: n8n.IDataObject[]): Promise<Execution> {
		return await this.run(toSend(spec), items);
	}

	/**
	 * An execution whose process died, as n8n has it.
	 * @param saved the items of its first node, when n8n last saved it; undefined if it never did
	 */
	crashed(workflow: n8n.IWorkflowBase, saved?: n8n.IDataObject[]): Execution {
		const data = saved ? beginningAt(workflow, saved) : createRunExecutionData();
		if (!saved) delete data.executionData;
		const run = { data, status: 'crashed', mode: 'trigger', startedAt: new Date() } as n8n.IRun;
		return new Execution(this, workflow, run, String(++this.executions));
	}

	/** Starts a workflow at its first node, as a trigger does that yields these items. */
	start(workflow: n8n.IWorkflowBase, items: n8n.IDataObject[]): Running {
		const begin = beginningAt(workflow, items);
		// What n8n stores of the beginning of an execution that has waited, or is retried.
		const [source] = this.sources ?? [];
		const parentExecutionId = this.callerOf(0)?.executionId;
		const stored = { version: 1, establishedAt: 0, parentExecutionId } as const;
		if (source) begin.executionData!.runtimeData = { ...stored, source };
		return this.execute(workflow, this.mode, begin);
	}

	execute(
		workflow: n8n.IWorkflowBase,
		mode: n8n.WorkflowExecuteMode,
		data: n8n.IRunExecutionData,
		id = String(++this.executions),
	): Running {
		const execute = new WorkflowExecute(this.additionalData(workflow, id), mode, data);
		const promise = execute.processRunExecutionData(fromDatabase(workflow));
		let stored: string | undefined;
		const ended = promise.then((run) => new Execution(this, workflow, run, id, stored));
		return {
			ended: this.unlessItHangs(ended),
			cancel: () => {
				promise.cancel();
				// n8n doesn't wait for the node that is at work.
				stored = stringify(data);
			},
		};
	}

	/** A test whose execution hangs says so, and how far it came. */
	private async unlessItHangs<T>(ended: Promise<T>): Promise<T> {
		const controller = new AbortController();
		const { signal } = controller;
		const isQuiet = async () => {
			const { received } = this.ledger.summary();
			await delay(QUIET_MS, undefined, { signal });
			return this.ledger.summary().received === received;
		};
		const hangs = async () => {
			while (!(await isQuiet()));
			const { received, accepted } = this.ledger.summary();
			const soFar = `${received} requests, ${accepted} accepted messages`;
			throw new Error(`The execution hangs, after ${soFar}: the other customers got nothing`);
		};
		return await Promise.race([ended, hangs()]).finally(() => controller.abort());
	}

	/** The page of a node that waits. */
	async webhook({ workflow, id }: Execution, data: n8n.IRunExecutionData, httpRequest: object) {
		const instance = fromDatabase(workflow);
		const node = instance.getNode(data.resultData.lastNodeExecuted!)!;
		let sent = '';
		const status = (code: number) => ({ end: () => (sent = `HTTP ${code}`) });
		const httpResponse = { setHeader: () => {}, status };
		const more = { ...this.additionalData(workflow, id), httpRequest, httpResponse } as never;
		const noData = {} as n8n.IWebhookData;
		const context = new WebhookContext(instance, node, more, 'trigger', noData, [], data);
		const answered = await nodeTypes.getByNameAndVersion(node.type).webhook!.call(context);
		return { webhookResponse: sent, httpResponse, ...answered };
	}

	/** Who called an execution: 0 is the running one. */
	private callerOf(place: number) {
		const [source, further] = this.sources?.slice(place + 1) ?? [];
		if (source === undefined) return undefined;
		const parentExecutionId = further && `caller ${place + 2}`;
		const executionContext = { version: 1, establishedAt: 0, source, parentExecutionId };
		return { executionId: `caller ${place + 1}`, workflowId: 'caller', executionContext } as const;
	}

	private additionalData(workflow: n8n.IWorkflowBase, executionId: string) {
		return {
			executionId,
			rootExecutionMode: this.callerMode,
			credentialsHelper: this.credentials,
			hooks: new ExecutionLifecycleHooks('trigger', executionId, workflow),
			currentNodeExecutionIndex: 0,
			webhookWaitingBaseUrl: `${this.publicUrl}/webhook-waiting`,
			restApiUrl: `${this.publicUrl}/rest`,
			formWaitingBaseUrl: 'http://127.0.0.1:5678/form-waiting',
			variables: this.variables,
			getRunExecutionData: async (id: string) => {
				const place = Number(/caller (\d+)/.exec(id)?.[1] ?? 0);
				return place > 1 ? undefined : { parentExecution: this.callerOf(place) };
			},
			logAiEvent: () => {},
		} as unknown as n8n.IWorkflowExecuteAdditionalData;
	}
}

const engine = new Engine();
/** n8n allows this only once. */
const storeReady = DataDeduplicationService.init(engine.deduplication.store);

/**
 * The end of a run, and of what its service still does: a request may arrive after its
 * sender gave it up.
 */
export async function settled(run: Promise<Execution>): Promise<Execution> {
	const execution = await run;
	do await new Promise((resolve) => setTimeout(resolve, 1));
	while (engine.ledger.summary().inFlight > 0);
	return execution;
}

/** One sandbox for all tests of a file, fresh before each of them, in virtual time. */
export function useEngine(options: SandboxOptions = {}): Engine {
	beforeAll(async () => {
		engine.sandbox = await startSandbox(options);
		await storeReady;
	});
	beforeEach(() => {
		startVirtualTime(engine);
		engine.reset();
	});
	afterEach(() => {
		// First: some tests replace what virtual time has replaced.
		jest.restoreAllMocks();
		stopVirtualTime();
	});
	afterAll(async () => await engine.sandbox.stop());
	return engine;
}
