import { type IExecuteFunctions, type INodeExecutionData, NodeOperationError } from 'n8n-workflow';

import { isFailed } from '../delivery/outcome';
import { rawParameter } from '../parameters/parameters';
import { argumentNames } from './arguments';
import { CallDelivery } from './callDelivery';
import { CallMemory } from './callMemory';
import { REPLIES_ARE_LOST, replyText, toolReply } from './reply';
import { toolCallOf } from './toolCall';

/** One call of an agent's tool. @returns one item for the agent. @throws NodeOperationError if the caller reads it, or for a retry */
export async function runTool(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const call = toolCallOf(context);
	const { caller } = call;
	if (caller === undefined && context.getNode().onError === 'continueErrorOutput')
		throw toolError(context, REPLIES_ARE_LOST);
	const delivery = new CallDelivery(context, call, new CallMemory(context, call));
	const outcome = await delivery.end();
	if ('json' in outcome) return [outcome];

	// The parameter at fault as the workflow has it; all of them where none is known.
	const { parameter } = isFailed(outcome) ? outcome.failure : {};
	const atFault = parameter ? rawParameter(context, parameter) : context.getNode().parameters;
	const json = toolReply(outcome, delivery.isAfterUncertain(), argumentNames(atFault));
	// An MCP client can read an error, an agent that runs its tools itself can't: there, Retry On Fail needs it.
	const isRetried = caller === 'agent' && !call.isLastTry && outcome.delivery !== 'uncertain';
	if (isFailed(outcome) && (caller === 'mcp' || isRetried))
		throw toolError(context, replyText(json));
	return [{ json, pairedItem: { item: 0 } }];
}

/** An error with exactly these words: n8n would replace some of them with stock texts. */
const toolError = (context: IExecuteFunctions, message: string) =>
	Object.assign(new NodeOperationError(context.getNode(), message), { message });
