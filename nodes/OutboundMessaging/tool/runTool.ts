import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	NodeOperationError,
} from 'n8n-workflow';

import { deliver } from '../delivery/deliver';
import { fromMemory, notReadable } from '../delivery/deliveryOutcomes';
import { type Failure, type Outcome, isFailed } from '../delivery/outcome';
import { type Memory, retriedSince } from '../delivery/memory';
import type { Message } from '../delivery/message';
import { withMutex } from '../delivery/mutex';
import { RunRejected } from '../delivery/runRejected';
import { failureOfRun } from '../output/errors';
import { dryRunItems } from '../output/items';
import { countsMessages } from '../parameters/safeguards';
import { type Plan, planRun } from '../plan';
import {
	ANSWERS_ARE_LOST,
	answerText,
	CANNOT_WAIT,
	DRY_RUN,
	OUT_OF_TIME,
	toolAnswer,
} from './answer';
import { argumentNames, requireOwnArguments, requireSafeRecipient } from './arguments';
import { CallMemory } from './callMemory';
import { ToolCall } from './toolCall';

/**
 * One call of the node as a tool of an AI agent.
 * @returns one item, which the agent reads
 * @throws NodeOperationError where the caller reads an error, and where n8n shall run the node again
 */
export async function runTool(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const call = new ToolCall(context);
	const node = context.getNode();
	if (call.caller === undefined && node.onError === 'continueErrorOutput') {
		throw toolError(context, ANSWERS_ARE_LOST);
	}
	const executionId = context.getExecutionId();
	const store = context.getContext('node');
	const memory = new CallMemory(store, call, executionId, retriedSince(context));
	const ended = await runCall(context, call, memory);
	if ('shown' in ended) return [{ json: ended.shown, pairedItem: { item: 0 } }];

	const { outcome, message } = ended;
	const json = toolAnswer(outcome, {
		wasUncertain: message !== undefined && memory.hasUncertain(message),
		argumentsOf: (failure) => argumentNames(failure ? rawField(context, failure) : node.parameters),
	});
	if (isFailed(outcome) && isThrown(call, outcome.delivery)) {
		throw toolError(context, answerText(json));
	}
	return [{ json, pairedItem: { item: 0 } }];
}

/** The field at fault as the workflow has it; the whole parameter where the path leads nowhere. */
function rawField(context: IExecuteFunctions, { parameter = '', path = '' }: Failure): unknown {
	const raw = (name: string, fallback: unknown): unknown =>
		context.getNodeParameter(name, 0, fallback, { rawExpressions: true });
	const whole = raw(parameter, '');
	return raw(`${parameter}.${path}`, whole);
}

/**
 * An agent that runs its tools itself can't read an error, but an MCP client can. n8n's own Retry On Fail needs one from
 * a tool that it doesn't run itself.
 */
function isThrown({ caller, isLastTry }: ToolCall, delivery: string): boolean {
	if (caller === 'mcp') return true;
	return caller === 'agent' && !isLastTry && delivery !== 'uncertain';
}

/** An error with exactly these words: n8n would replace some of them with stock texts. */
function toolError(context: IExecuteFunctions, message: string): NodeOperationError {
	return Object.assign(new NodeOperationError(context.getNode(), message), { message });
}

/** How a call ended: with an outcome, or in a dry run with what would have been sent. */
type Ended = { outcome: Outcome; message?: Message } | { shown: IDataObject };

async function runCall(
	context: IExecuteFunctions,
	call: ToolCall,
	callMemory: CallMemory,
): Promise<Ended> {
	const store = context.getContext('node');
	const isCanceled = () => call.isOver() || context.getExecutionCancelSignal()?.aborted === true;
	let known: { message: Message; memory: Memory } | undefined;

	const outOfTime = (): Ended => {
		const message = known?.message;
		// A late try knows no message yet, but the one before it may have sent it.
		const sent = known ? known.memory.get(known.message) : callMemory.ofItem(0);
		const notAttempted: Outcome = { delivery: 'notAttempted', failure: OUT_OF_TIME };
		return { outcome: fromMemory(sent, message) ?? notAttempted, message };
	};
	const send = async (): Promise<Ended> => {
		let plan: Plan;
		try {
			const { caller } = call;
			if (context.getNodeParameter('operation', 0) === 'sendAndWait') {
				throw new RunRejected(CANNOT_WAIT);
			}
			requireOwnArguments(context, caller);
			requireSafeRecipient(context, caller);
			plan = await planRun(context, { memory: callMemory, continues: true, isCanceled, call });
		} catch (error) {
			return { outcome: notReadable(failureOfRun(error), { memory: callMemory, itemIndex: 0 }) };
		}
		const { items, delivery, isDryRun } = plan;
		const [item] = items;
		if (isDryRun) {
			const [{ json }] = dryRunItems(context.getNode(), items);
			return { shown: { ...json, note: DRY_RUN } };
		}
		if ('outcome' in item) return item;

		const { message } = item;
		known = { message, memory: delivery.memory };
		// The second call with the same recipient knows how the first one ended.
		return await withMutex(store, `${message.recipient} ${message.request.url}`, async () => {
			const [outcome] = await deliver(items, {
				...delivery,
				rateLimitWait: call.limitWait(delivery.rateLimitWait),
				keyWait: call.limitWait(Infinity),
			});
			return { outcome, message };
		});
	};
	// Calls at the same time would each be the first one that a safeguard counts.
	const work = async () =>
		countsMessages(context) ? await withMutex(store, 'counted calls', send) : await send();
	return await call.withinTime(work, outOfTime);
}
