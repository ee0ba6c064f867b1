import { type IExecuteFunctions, type INodeExecutionData, NodeOperationError } from 'n8n-workflow';

import { systemClock, withinTime } from '../common/clock';
import { withMutex } from '../common/mutex';
import { deliver } from '../delivery/deliver';
import { fromMemory, rejectedUnlessSent } from '../delivery/deliveryOutcomes';
import type { Memory } from '../delivery/memory';
import { type Message, isToSend } from '../delivery/message';
import { type Outcome, isFailed } from '../delivery/outcome';
import { RunRejected } from '../delivery/runRejected';
import { WAITING_OPERATION } from '../n8n/internals';
import { nodeState } from '../n8n/nodeState';
import { failureOfRun } from '../output/errors';
import { outputItem } from '../output/items';
import { rawParameter } from '../parameters/parameters';
import { type Plan, planRun } from '../plan';
import { countedBy } from '../safeguards';
import { argumentNames, isPassed, requireOwnArguments, requireSafeRecipient } from './arguments';
import { CallMemory } from './callMemory';
import { CANNOT_WAIT, DRY_RUN, OUT_OF_TIME, REPLIES_ARE_LOST, replyText, toolReply } from './reply';
import { type ToolCall, toolCallOf } from './toolCall';

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
	const isQuotable = !parameter || isPassed(parameter, atFault);
	const wasUncertain = delivery.isAfterUncertain();
	const json = toolReply(outcome, wasUncertain, argumentNames(atFault), isQuotable);
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
 * Plans and delivers the message of one try of a call. All calls of the node in an execution wait in these queues, the first
 * one first:
 *
 *   queue                 to               at once                     because
 *   counted calls         plan, deliver    one if a safeguard counts   with Max Messages 1, two that are planned at the same
 *                                                                      time would both count no message before them
 *   a recipient and URL   deliver          one                         the second knows how the first ended
 *   calls                 deliver          Messages in Parallel        all calls together are one run
 */
class CallDelivery {
	/** Missing until everything is read and checked. */
	private sending?: { message: Message; memory: Memory };
	/** How its message ended; the try may still have a key to write. */
	private outcome?: Outcome;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly call: ToolCall,
		private readonly callMemory: CallMemory,
	) {}

	/** Ends within the call's time, and sends nothing later. @returns how it ended, or the item of a dry run */
	async end(): Promise<Outcome | INodeExecutionData> {
		const { context, call } = this;
		const work = async () => await this.planAndDeliver();
		const atOnce = () => (countedBy(context).length > 0 ? 1 : Infinity);
		const ended = withMutex(nodeState(context), 'counted calls', work, atOnce);
		return await withinTime(systemClock, call.remainingMs(), ended, () => this.outOfTime());
	}

	/** Whether another message to the same recipient may have been sent in this execution. */
	isAfterUncertain(): boolean {
		return this.sending !== undefined && this.callMemory.hasUncertain(this.sending.message);
	}

	/** A late try knows no message yet, but the one before it may have sent it. */
	private outOfTime(): Outcome {
		if (this.outcome !== undefined) return this.outcome;
		const { message, memory = this.callMemory } = this.sending ?? {};
		const sent = message ? memory.get(message) : memory.ofItem(0);
		return fromMemory(sent, message) ?? { delivery: 'notAttempted', failure: OUT_OF_TIME };
	}

	private async planAndDeliver(): Promise<Outcome | INodeExecutionData> {
		const plan = await this.plan().catch(failureOfRun);
		if ('title' in plan) return rejectedUnlessSent(plan, this.callMemory.ofItem(0));
		const [item] = plan.items;
		if (!isToSend(item)) return item.outcome;
		if (plan.dryRun) {
			const { json, pairedItem } = outputItem(this.context.getNode(), item, 0);
			return { json: { ...json, note: DRY_RUN }, pairedItem };
		}

		const { message } = item;
		const { memory, maxConcurrency } = plan.delivery;
		this.sending = { message, memory };
		const state = nodeState(this.context);
		const send = async () => await this.deliver(plan);
		const inRun = async () => await withMutex(state, 'calls', send, maxConcurrency);
		return await withMutex(state, `${message.recipient} ${message.request.url}`, inRun);
	}

	private async plan(): Promise<Plan> {
		const { context, call, callMemory: memory } = this;
		const isAsking = context.getNodeParameter('operation', 0) === WAITING_OPERATION;
		if (isAsking) throw new RunRejected(CANNOT_WAIT);
		requireOwnArguments(context, call.caller);
		requireSafeRecipient(context, call.caller);
		return await planRun(context, { memory, continues: true, call });
	}

	private async deliver({ items, delivery }: Plan): Promise<Outcome> {
		const [{ outcome }] = await deliver(items, {
			...delivery,
			rateLimitWait: this.call.limitWait(delivery.rateLimitWait),
			keyWait: this.call.limitWait(Infinity),
			onOutcome: (ended, message) => {
				this.outcome = ended;
				return delivery.onOutcome(ended, message);
			},
		});
		return outcome;
	}
}
