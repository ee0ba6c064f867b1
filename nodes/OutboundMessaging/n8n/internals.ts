import type {
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';

/**
 * What this node knows of n8n that n8n doesn't publish, and where it was read in 2.40.7: to be
 * compared with each release.
 */

/**
 * The operation by which n8n finds a node that waits for an answer (`waiting-webhooks.ts`), and
 * derives human review.
 */
export { SEND_AND_WAIT_OPERATION as WAITING_OPERATION } from 'n8n-workflow';

/**
 * n8n gives a node that serves as a tool, or as a human review, a type of its own (`ai-tools.ts`).
 */
export const isTool = ({ type }: Pick<INode, 'type'>) => type.endsWith('Tool');

/**
 * Whether a person approves by it what an agent's tool is about to do (`hitl-tools.ts`): a type
 * that no agent calls.
 */
export const isHumanReview = ({ type }: Pick<INode, 'type'>) => type.endsWith('HitlTool');

export const isToolCall = (node: Pick<INode, 'type'>) => isTool(node) && !isHumanReview(node);

/** What calls a tool within its own run; undefined if n8n's engine does. */
export type Caller = 'agent' | 'mcp' | undefined;

/**
 * An AI Agent up to version 2.x runs its tools itself; an MCP Server Trigger does, too
 * (`supply-data-context.ts`).
 */
export function callerOf(context: IExecuteFunctions): Caller {
	// Older releases of n8n don't tell, but only the context of such a call knows its next run index.
	const isWithinCaller = context.isToolExecution?.() ?? 'getNextRunIndex' in context;
	if (!isWithinCaller) return undefined;
	const { parentNode } = context as { parentNode?: INode };
	return parentNode?.type.endsWith('mcpTrigger') === true ? 'mcp' : 'agent';
}

/**
 * Who started an execution: a person in the editor, or n8n by itself (a trigger, a webhook,
 * its command line).
 */
type Start = 'byHand' | 'byItself' | 'unknown';

/**
 * The modes that tell (`execution-context.ts`). Others, such as `integrated` and `retry`, say only
 * how an execution continues.
 */
const STARTS = new Map<string | undefined, Start>([
	['manual', 'byHand'],
	['evaluation', 'byHand'],
	['trigger', 'byItself'],
	['webhook', 'byItself'],
	['cli', 'byItself'],
]);

/**
 * Who started this execution, or else the one that called it, whatever has waited or was
 * retried since then.
 */
export async function startOf(context: IExecuteFunctions): Promise<Start> {
	const { additionalData } = context as { additionalData?: { rootExecutionMode?: string } };
	// Gone after a wait, and unknown to older releases, but there even if n8n hasn't kept the
	// caller's execution.
	const told = STARTS.get(context.getMode()) ?? STARTS.get(additionalData?.rootExecutionMode);
	if (told !== undefined) return told;

	// What n8n stores with an execution outlasts a wait and a retry.
	let executionId = context.getExecutionId();
	let stored: { source?: string; parentExecutionId?: string } | undefined =
		context.getExecutionContext();
	while (stored?.parentExecutionId !== undefined) {
		const data = await context.getExecutionDataById(executionId);
		if (!data?.parentExecution) break;
		executionId = data.parentExecution.executionId;
		stored = data.parentExecution.executionContext;
	}
	// Older releases don't store whose error workflow it is: n8n runs one for a published workflow,
	// or for a sub-workflow.
	return STARTS.get(stored?.source) ?? (stored?.source === 'error' ? 'byItself' : 'unknown');
}

type WithWorkflow = IExecuteFunctions & { workflow: Workflow };
const CALLS_WORKFLOW = /\.(?:executeWorkflow|toolWorkflow)$/;

/**
 * Whether a new execution may send besides this node: another node of this type, one that calls a
 * workflow, or a caller.
 */
export function othersSend(context: IExecuteFunctions): boolean {
	if (context.getExecutionContext()?.parentExecutionId) return true;
	const own = context.getNode();
	const ownType = own.type.replace(/(?:Hitl)?Tool$/, '');
	const { nodes } = (context as WithWorkflow).workflow;
	return Object.values(nodes).some(
		({ name, type, disabled }) =>
			name !== own.name && !disabled && (type.startsWith(ownType) || CALLS_WORKFLOW.test(type)),
	);
}

/**
 * How many items come in: with Execute Once, the node itself gets the first one only
 * (`handleExecuteOnce` in `workflow-execute.ts`).
 */
export function connectedItems(context: IExecuteFunctions): number {
	const { $input } = context.getWorkflowDataProxy(0) as { $input: { all(): unknown[] } };
	return $input.all().length;
}

/**
 * Makes the execution wait, with another item as the node's input: n8n puts out the input when the
 * time is up, and an earlier approval in it would count as this one (`handleWaitingState` in
 * `workflow-execute.ts`). If waiting fails, the input stays as it was, for Retry On Fail.
 */
export async function waitWith(context: IExecuteFunctions, end: Date, item: INodeExecutionData) {
	await context.putExecutionToWait(end);
	const executeData = context.getExecuteData();
	executeData.data = { ...executeData.data, main: [[item]] };
	// n8n disables the node in it when it continues. Other inputs of the node share the object.
	executeData.node = { ...executeData.node };
}

/**
 * How often n8n runs a node, and how long it waits in between, in milliseconds (`getRetryParams` in
 * `workflow-execute.ts`).
 */
export const retryOnFail = ({ retryOnFail, maxTries, waitBetweenTries }: INode) => ({
	tries: retryOnFail === true ? Math.min(5, Math.max(2, maxTries || 3)) : 1,
	waitMs: Math.min(5000, Math.max(0, waitBetweenTries || 1000)),
});

/**
 * Whether the credential's allowed domains don't include the host of a request
 * (`credential-domain-restrictions.ts`).
 */
export const isDomainNotAllowed = (message: unknown) => /^Domain not allowed/.test(String(message));

/**
 * Whether n8n's protection against requests to internal hosts stopped a request: the error's name
 * (`ssrf-*.error.ts`).
 */
export const isHostNotAllowed = (name: unknown) => /^Ssrf/.test(String(name));

/**
 * The node's credential as it's stored, with expressions as text, as n8n-core reads
 * it (`oauth.ts`).
 * @throws if that fails
 */
export async function storedCredential(context: IExecuteFunctions, type: string) {
	const { additionalData: data } = context as { additionalData?: IWorkflowExecuteAdditionalData };
	const { credentials = {} } = context.getNode();
	const asked = [credentials[type], type, context.getMode(), undefined] as const;
	return await data?.credentialsHelper.getDecrypted(data, ...asked, true);
}
