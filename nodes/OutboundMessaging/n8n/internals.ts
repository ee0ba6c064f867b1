import type { IExecuteFunctions, INode, IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import { SEND_AND_WAIT_OPERATION } from 'n8n-workflow';

/** What this node knows of n8n that n8n doesn't publish, and where it was read in 2.40.7: to be compared with each release. */

/** The operation by which n8n finds a node that waits for an answer (`waiting-webhooks.ts`), and derives human review. */
export const WAITING_OPERATION = SEND_AND_WAIT_OPERATION;

/** n8n gives a node that serves as a tool a type of its own (`ai-tools.ts`). */
export const isTool = ({ type }: Pick<INode, 'type'>) => type.endsWith('Tool');

/** Whether a person approves by it what an agent's tool is about to do (`hitl-tools.ts`): a type that no agent calls. */
export const isHumanReview = ({ type }: Pick<INode, 'type'>) => type.endsWith('HitlTool');

export const isToolCall = (node: Pick<INode, 'type'>) => isTool(node) && !isHumanReview(node);

/** What calls a tool within its own run; undefined if n8n's engine does. */
export type Caller = 'agent' | 'mcp' | undefined;

/** An AI Agent up to version 2.x runs its tools itself; an MCP Server Trigger does, too (`supply-data-context.ts`). */
export function callerOf(context: IExecuteFunctions): Caller {
	// Older releases of n8n don't tell, but only the context of such a call knows its next run index.
	const isWithinCaller = context.isToolExecution?.() ?? 'getNextRunIndex' in context;
	if (!isWithinCaller) return undefined;
	const { parentNode } = context as { parentNode?: INode };
	return parentNode?.type.endsWith('mcpTrigger') === true ? 'mcp' : 'agent';
}

/** Whether a person started this execution, or a sub-workflow's caller, in the editor (`workflow-execute-additional-data.ts`). */
export function isManual(context: IExecuteFunctions): boolean {
	const { additionalData } = context as { additionalData?: { rootExecutionMode?: string } };
	return context.getMode() === 'manual' || additionalData?.rootExecutionMode === 'manual';
}

/** How many items come in: with Execute Once, the node itself gets the first one only (`handleExecuteOnce` in `workflow-execute.ts`). */
export function connectedItems(context: IExecuteFunctions): number {
	const { $input } = context.getWorkflowDataProxy(0) as { $input: { all(): unknown[] } };
	return $input.all().length;
}

/** How often n8n runs a node, and how long it waits in between, in milliseconds (`getRetryParams` in `workflow-execute.ts`). */
export const retryOnFail = ({ retryOnFail, maxTries, waitBetweenTries }: INode) => ({
	tries: retryOnFail === true ? Math.min(5, Math.max(2, maxTries || 3)) : 1,
	waitMs: Math.min(5000, Math.max(0, waitBetweenTries || 1000)),
});

/** Whether a row of the deduplication store is one of another node, by what n8n says of it (`deduplication-helper.ts`). */
export const isForeignRow = (problem: string) => problem.includes('incompatible setting');

/** Whether the credential's allowed domains don't include the host of a request (`credential-domain-restrictions.ts`). */
export const isDomainNotAllowed = (message: unknown) => /^Domain not allowed/.test(String(message));

/** Whether n8n's protection against requests to internal hosts stopped a request: the error's name (`ssrf-*.error.ts`). */
export const isHostNotAllowed = (name: unknown) => /^Ssrf/.test(String(name));

/** The node's credential as it's stored, with expressions as text, as n8n-core reads it (`oauth.ts`). @throws if that fails */
export async function storedCredential(context: IExecuteFunctions, type: string) {
	const { additionalData: data } = context as { additionalData?: IWorkflowExecuteAdditionalData };
	const { credentials = {} } = context.getNode();
	const asked = [credentials[type], type, context.getMode(), undefined] as const;
	return await data?.credentialsHelper.getDecrypted(data, ...asked, true);
}
