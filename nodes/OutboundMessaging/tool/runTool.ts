import { type IExecuteFunctions, type INodeExecutionData, NodeOperationError } from 'n8n-workflow';

import { WAITING_OPERATION } from '../n8n/internals';
import { systemClock, withinTime } from '../common/clock';
import { deliver } from '../delivery/deliver';
import type { Delivery } from '../delivery/sending';
import { fromMemory, rejectedUnlessSent } from '../delivery/deliveryOutcomes';
import type { Memory } from '../delivery/memory';
import { type EndedItem, isToSend } from '../delivery/message';
import { withMutex } from '../common/mutex';
import { nodeState } from '../n8n/nodeState';
import { type Outcome, isFailed } from '../delivery/outcome';
import { RunRejected } from '../delivery/runRejected';
import { failureOfRun } from '../output/errors';
import { outputItem } from '../output/items';
import { rawParameter } from '../parameters/parameters';
import { countedBy } from '../safeguards';
import { type Plan, planRun } from '../plan';
import { REPLIES_ARE_LOST, replyText, CANNOT_WAIT, DRY_RUN, OUT_OF_TIME, toolReply } from './reply';
import { argumentNames, requireOwnArguments, requireSafeRecipient } from './arguments';
import { CallMemory } from './callMemory';
import { type ToolCall, toolCallOf } from './toolCall';

/** One call of an agent's tool. @returns one item for the agent. @throws NodeOperationError if the caller reads it, or for a retry */
export async function runTool(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const call = toolCallOf(context);
	const { caller } = call;
	if (caller === undefined && context.getNode().onError === 'continueErrorOutput')
		throw toolError(context, REPLIES_ARE_LOST);
	const memory = new CallMemory(context, call);
	const known: Known = { memory };
	const send = async () => await sendCall(context, call, known);
	// With Max Messages 1, two calls at the same time would both count no message before them.
	const sent =
		countedBy(context).length > 0 ? withMutex(nodeState(context), 'counted calls', send) : send();
	const outcome = await withinTime(systemClock, call.remainingMs(), sent, () => outOfTime(known));
	if ('json' in outcome) return [outcome];

	const wasUncertain = known.message !== undefined && memory.hasUncertain(known.message);
	// The parameter at fault as the workflow has it; all of them where none is known.
	const { parameter } = isFailed(outcome) ? outcome.failure : {};
	const atFault = parameter ? rawParameter(context, parameter) : context.getNode().parameters;
	const json = toolReply(outcome, wasUncertain, argumentNames(atFault));
	// An MCP client can read an error, an agent that runs its tools itself can't: there, Retry On Fail needs it.
	const isRetried = caller === 'agent' && !call.isLastTry && outcome.delivery !== 'uncertain';
	if (isFailed(outcome) && (caller === 'mcp' || isRetried))
		throw toolError(context, replyText(json));
	return [{ json, pairedItem: { item: 0 } }];
}

/** An error with exactly these words: n8n would replace some of them with stock texts. */
const toolError = (context: IExecuteFunctions, message: string) =>
	Object.assign(new NodeOperationError(context.getNode(), message), { message });

/**
 * What's known of a call when its time is up. Its message is missing until everything is read and checked. How it ended is
 * there while this try still has its key to write.
 */
type Known = { memory: Memory } & Partial<EndedItem>;

/** A late try knows no message yet, but the one before it may have sent it. */
function outOfTime({ memory, message, outcome }: Known): Outcome {
	if (outcome !== undefined) return outcome;
	const sent = message ? memory.get(message) : memory.ofItem(0);
	return fromMemory(sent, message) ?? { delivery: 'notAttempted', failure: OUT_OF_TIME };
}

/** Sends nothing once the call is over. @param known completed in place. @returns how it ended, or the item of a dry run */
async function sendCall(context: IExecuteFunctions, call: ToolCall, known: Known) {
	const { memory } = known;
	const isCanceled = () =>
		call.remainingMs() === 0 || context.getExecutionCancelSignal()?.aborted === true;
	let plan: Plan;
	try {
		const isAsking = context.getNodeParameter('operation', 0) === WAITING_OPERATION;
		if (isAsking) throw new RunRejected(CANNOT_WAIT);
		requireOwnArguments(context, call.caller);
		requireSafeRecipient(context, call.caller);
		plan = await planRun(context, { memory, continues: true, isCanceled, call });
	} catch (error) {
		return rejectedUnlessSent(failureOfRun(error), memory.ofItem(0));
	}
	const { items, delivery, dryRun } = plan;
	const [item] = items;
	if (dryRun) {
		const { json, pairedItem } = outputItem(context.getNode(), item, 0);
		return { json: { ...json, note: DRY_RUN }, pairedItem };
	}
	if (!isToSend(item)) return item.outcome;

	const { message } = item;
	Object.assign(known, { memory: delivery.memory, message });
	const state = nodeState(context);
	const send = async () => {
		const rateLimitWait = call.limitWait(delivery.rateLimitWait);
		const keyWait = call.limitWait(Infinity);
		const onOutcome: Delivery['onOutcome'] = (outcome, of) => {
			known.outcome = outcome;
			return delivery.onOutcome(outcome, of);
		};
		const [{ outcome }] = await deliver(items, { ...delivery, rateLimitWait, keyWait, onOutcome });
		return outcome;
	};
	// Calls to one recipient go one after the other: the second knows how the first ended. All calls together are one run.
	const name = `${message.recipient} ${message.request.url}`;
	const inTurn = async () => await withMutex(state, 'calls', send, delivery.maxConcurrency);
	return await withMutex(state, name, inTurn);
}
