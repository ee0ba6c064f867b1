/* eslint-disable @typescript-eslint/no-require-imports, @n8n/community-nodes/no-restricted-globals */
import './environment';

import { parse, stringify } from 'flatted';
import { DataDeduplicationService, ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import type {
	ExecuteWorkflowData,
	ExecuteWorkflowOptions,
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialType,
	IDataObject,
	IExecuteWorkflowInfo,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeProperties,
	IRequestOptionsSimplified,
	IRun,
	IRunExecutionData,
	ITaskData,
	IWorkflowBase,
	IWorkflowExecuteAdditionalData,
	NodeExecutionHint,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { createRunExecutionData, ICredentialsHelper, Workflow } from 'n8n-workflow';

import { Deduplication } from './deduplication';
import { failing, logLines, nodeTypes } from './nodeTypes';
import type { Sandbox, SandboxOptions } from '../../sandbox/index.cts';
import { startSandbox } from '../../sandbox/index.cts';
import { nothingOnItsWay, startVirtualTime } from './virtualTime';
import { NODE } from './workflows';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof import('./virtualTime')>('./virtualTime').withVirtualSleep(),
);

const { OutboundMessagingApi } =
	require('../../dist/credentials/OutboundMessagingApi.credentials.js') as {
		OutboundMessagingApi: new () => ICredentialType;
	};

/** The credential of the tests, handled as n8n handles it, and how often it was asked for. */
class Credentials extends ICredentialsHelper {
	private readonly type = new OutboundMessagingApi();
	data: ICredentialDataDecryptedObject = {};
	decrypted = 0;
	authenticated = 0;

	async getDecrypted(): Promise<ICredentialDataDecryptedObject> {
		this.decrypted++;
		return { ...this.data };
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		_typeName: string,
		request: IHttpRequestOptions | IRequestOptionsSimplified,
	): Promise<IHttpRequestOptions> {
		this.authenticated++;
		const { authenticate } = this.type;
		if (typeof authenticate !== 'function') throw new Error('authenticate is not a function');
		return await authenticate(credentials, request as IHttpRequestOptions);
	}

	async preAuthentication(): Promise<undefined> {}
	async runPreAuthentication(): Promise<undefined> {}
	async updateCredentials(): Promise<void> {}
	async updateCredentialsOauthTokenData(): Promise<void> {}
	isCredentialUsableByNode = () => true;
	getParentTypes = (): string[] => [];
	getCredentialsProperties = (): INodeProperties[] => this.type.properties;
	async getCredentials(): Promise<ICredentials> {
		throw new Error('The engine does not need the encrypted credential');
	}
}

/** How an execution ended, read as the editor and the database would show it. */
export class Execution {
	constructor(
		private readonly engine: Engine,
		readonly workflow: IWorkflowBase,
		readonly run: IRun,
	) {}

	get status() {
		return this.run.status;
	}

	get error() {
		return this.run.data.resultData.error;
	}

	/** What the error says, both parts of it. */
	get words(): string {
		const { message, description } = this.error ?? {};
		return `${message}\n${description}`;
	}

	runs(name = NODE): ITaskData[] {
		return this.run.data.resultData.runData[name] ?? [];
	}

	/** Items at an output of the node's last run. */
	items(output = 0, name = NODE): INodeExecutionData[] {
		return this.runs(name).at(-1)?.data?.main?.[output] ?? [];
	}

	json(output = 0, name = NODE): IDataObject[] {
		return this.items(output, name).map(({ json }) => json);
	}

	/** The notes above the output of the node's last run. */
	hints(name = NODE): NodeExecutionHint[] {
		return this.runs(name).at(-1)?.hints ?? [];
	}

	/** What the node left in its context about its runs, which is stored with the execution. */
	remembered(name = NODE): IDataObject {
		const context = this.run.data.executionData?.contextData[`node:${name}`] ?? {};
		return Object.fromEntries(Object.entries(context).filter(([key]) => key.startsWith('run')));
	}

	/** The execution as the database keeps it. */
	stored(): string {
		return stringify(this.run.data);
	}

	/** "Retry with original workflow", or, when one is given, "with currently saved workflow". */
	async retry(current?: IWorkflowBase): Promise<Execution> {
		return await this.engine.retry(this, current);
	}
}

/** A run that is under way, and the button that stops it. */
export interface Running {
	ended: Promise<Execution>;
	cancel(): void;
}

/** n8n's real engine on one side and the sandbox on the other. */
export class Engine {
	sandbox!: Sandbox;
	readonly credentials = new Credentials();
	readonly deduplication = new Deduplication();
	/** Workflows that can be called by others. */
	readonly subWorkflows = new Map<string, IWorkflowBase>();
	private executions = 0;

	get ledger() {
		return this.sandbox.ledger;
	}

	get logLines() {
		return logLines;
	}

	reset(): void {
		this.sandbox.faults.clear();
		this.sandbox.ledger.clear();
		this.deduplication.reset();
		this.subWorkflows.clear();
		this.useCredential();
		nothingOnItsWay();
		Object.assign(this.credentials, { decrypted: 0, authenticated: 0 });
		logLines.length = 0;
		failing.times = 0;
	}

	/** Values of the credential other than the sandbox's own. */
	useCredential(values: IDataObject = {}): void {
		const { url, headerName, apiKey } = this.sandbox;
		const data = { baseUrl: url, apiKeyHeader: headerName, apiKey, ...values };
		this.credentials.data = data as ICredentialDataDecryptedObject;
	}

	async run(workflow: IWorkflowBase, items: IDataObject[]): Promise<Execution> {
		return await this.start(workflow, items).ended;
	}

	/** Starts a workflow at its first node, as a trigger does that yields these items. */
	start(workflow: IWorkflowBase, items: IDataObject[], mode?: WorkflowExecuteMode): Running {
		const instance = this.instanceOf(workflow);
		const execute = new WorkflowExecute(this.additionalData(workflow), mode ?? 'trigger');
		const startNode = instance.getNode(workflow.nodes[0].name) ?? undefined;
		const data = { main: [items.map((json) => ({ json }))] };
		const triggerToStartFrom = {
			name: workflow.nodes[0].name,
			data: { data } as unknown as ITaskData,
		};
		return this.running(
			workflow,
			execute.run({ workflow: instance, startNode, triggerToStartFrom }),
		);
	}

	/** Does what n8n's server does for "Retry" in the list of executions. */
	async retry(failed: Execution, current?: IWorkflowBase): Promise<Execution> {
		if (failed.run.finished) throw new Error('The execution succeeded, so it cannot be retried');
		const data = parse(failed.stored()) as IRunExecutionData;
		const { lastNodeExecuted, runData } = data.resultData;
		if (lastNodeExecuted) {
			delete data.resultData.error;
			const ofNode = runData[lastNodeExecuted];
			if (ofNode?.length > 0 && ofNode[ofNode.length - 1].error !== undefined) ofNode.pop();
		}
		const workflow = current ?? (parse(stringify(failed.workflow)) as IWorkflowBase);
		if (current) {
			const instance = this.instanceOf(current);
			for (const entry of data.executionData?.nodeExecutionStack ?? []) {
				const node = instance.getNode(entry.node.name);
				if (node === null) throw new Error(`Could not find the node "${entry.node.name}"`);
				entry.node = node;
			}
		}
		const execute = new WorkflowExecute(this.additionalData(workflow), 'retry', data);
		return await this.running(workflow, execute.processRunExecutionData(this.instanceOf(workflow)))
			.ended;
	}

	private running(
		workflow: IWorkflowBase,
		promise: ReturnType<WorkflowExecute['processRunExecutionData']>,
	): Running {
		return {
			ended: promise.then((run) => new Execution(this, workflow, run)),
			cancel: () => promise.cancel(),
		};
	}

	private instanceOf(workflow: IWorkflowBase): Workflow {
		// Like a workflow that comes out of the database: no object is shared with an earlier run.
		const { id, name, nodes, connections, settings } = structuredClone(workflow);
		return new Workflow({ id, name, nodes, connections, settings, active: false, nodeTypes });
	}

	private additionalData(workflow: IWorkflowBase): IWorkflowExecuteAdditionalData {
		const executionId = String(++this.executions);
		const url = 'http://127.0.0.1:5678';
		return {
			executionId,
			credentialsHelper: this.credentials,
			hooks: new ExecutionLifecycleHooks('trigger', executionId, workflow),
			executeWorkflow: async (
				{ id }: IExecuteWorkflowInfo,
				_: unknown,
				{ inputData }: ExecuteWorkflowOptions,
			) => await this.call(id ?? '', inputData ?? []),
			getRunExecutionData: async () => undefined,
			getRuntimeCredential: async () => undefined,
			currentNodeExecutionIndex: 0,
			restApiUrl: `${url}/rest`,
			instanceBaseUrl: url,
			formBaseUrl: `${url}/form`,
			formWaitingBaseUrl: `${url}/form-waiting`,
			formTestBaseUrl: `${url}/form-test`,
			webhookBaseUrl: `${url}/webhook`,
			webhookWaitingBaseUrl: `${url}/webhook-waiting`,
			webhookTestBaseUrl: `${url}/webhook-test`,
			mcpBaseUrl: `${url}/mcp`,
			mcpTestBaseUrl: `${url}/mcp-test`,
			variables: {},
			logAiEvent: () => {},
			startRunnerTask: async () => {
				throw new Error('There are no task runners here');
			},
		} as unknown as IWorkflowExecuteAdditionalData;
	}

	/** A called workflow is an execution of its own; its error becomes the error of the calling node. */
	private async call(id: string, items: INodeExecutionData[]): Promise<ExecuteWorkflowData> {
		const workflow = this.subWorkflows.get(id);
		if (!workflow) throw new Error(`There is no workflow ${id}`);
		const startNode = workflow.nodes[0];
		const nodeExecutionStack = [{ node: startNode, data: { main: [items] }, source: null }];
		const data = createRunExecutionData({ executionData: { nodeExecutionStack } });
		const execute = new WorkflowExecute(this.additionalData(workflow), 'integrated', data);
		const promise = execute.processRunExecutionData(this.instanceOf(workflow));
		const called = await this.running(workflow, promise).ended;
		if (called.error) throw called.error;
		const last = called.run.data.resultData.lastNodeExecuted ?? '';
		return { executionId: '', data: [called.items(0, last)] };
	}
}

const engine = new Engine();
let initialized = false;

/** The end of a run, and of what its service still does: a request may arrive after its sender gave it up. */
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
		if (!initialized) await DataDeduplicationService.init(engine.deduplication);
		initialized = true;
		startVirtualTime(engine);
	});
	beforeEach(() => engine.reset());
	afterAll(async () => {
		jest.restoreAllMocks();
		await engine.sandbox.stop();
	});
	return engine;
}
