import { type IExecuteFunctions, type INodeExecutionData, NodeOperationError } from 'n8n-workflow';

import { systemClock, withinTime } from '../common/clock';
import { withMutex } from '../common/mutex';
import { endUnread } from '../delivery/beforeAndNow';
import { deliver } from '../delivery/deliver';
import { Ledger } from '../delivery/ledger';
import { type Message, isToSend } from '../delivery/message';
import { type Failed, type Outcome, isFailed } from '../delivery/outcome';
import { RunRejected } from '../delivery/runRejected';
import { WAITING_OPERATION } from '../n8n/internals';
import { beginningOf, nodeState } from '../n8n/nodeState';
import { failureOfRun } from '../output/errors';
import { outputItem } from '../output/items';
import { rawParameter } from '../parameters/parameters';
import { planRun } from '../plan';
import { argumentNames, isPassed, requireOwnArguments, requireSafeRecipient } from './arguments';
import { CANNOT_WAIT, DRY_RUN, OUT_OF_TIME, REPLIES_ARE_LOST, replyText, toolReply } from './reply';
import { type ToolCall, toolCallOf } from './toolCall';

/** One call of an agent's tool. @returns one item for the agent. @throws NodeOperationError if the caller reads it, or for a retry */
export async function runTool(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const call = toolCallOf(context);
	const { caller } = call;
	if (caller === undefined && context.getNode().onError === 'continueErrorOutput')
		throw toolError(context, REPLIES_ARE_LOST);
	const delivery = new CallDelivery(context, call);
	const outcome = await delivery.end();
	if ('json' in outcome) return [outcome];

	// The parameter at fault as the workflow has it; all of them where none is known.
	const { parameter } = isFailed(outcome) ? outcome.failure : {};
	const atFault = parameter ? rawParameter(context, parameter) : context.getNode().parameters;
	// An option or a safeguard is only named.
	const isQuotable = !parameter?.includes('.') && isPassed(atFault);
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

/** Plans and delivers the message of one try of a call, after those of the calls before it. */
class CallDelivery {
	private readonly ledger: Ledger;
	/** Missing until everything is read and checked. */
	private message?: Message;
	/** How its message ended; the try may still have a key to write. */
	private outcome?: Outcome;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly call: ToolCall,
	) {
		const state = nodeState(context);
		const hasNoId = call.modelId === undefined;
		this.ledger = new Ledger(state, beginningOf(context), call.id, hasNoId);
	}

	/** Ends within the call's time, and sends nothing later. @returns how it ended, or the item of a dry run */
	async end(): Promise<Outcome | INodeExecutionData> {
		const work = async () => await this.planAndDeliver();
		// One after the other: each call knows how the ones before it ended, and what they count.
		const ended = withMutex(nodeState(this.context), 'calls', work);
		return await withinTime(systemClock, this.call.remainingMs(), ended, () => this.outOfTime());
	}

	/** Whether another message to the same recipient may have been sent in this execution. */
	isAfterUncertain(): boolean {
		return this.message !== undefined && this.ledger.hasUncertain(this.message);
	}

	/** A late try knows no message yet, but the one before it may have sent it. */
	private outOfTime(): Outcome {
		return this.outcome ?? this.unlessSent({ delivery: 'notAttempted', failure: OUT_OF_TIME });
	}

	private unlessSent(failed: Failed): Outcome {
		const entry = this.message ? this.ledger.get(this.message) : this.ledger.match([{}]).get(0);
		return endUnread(entry && { by: 'ledger', entry }, failed);
	}

	private async planAndDeliver(): Promise<Outcome | INodeExecutionData> {
		if (this.call.remainingMs() === 0) return this.outOfTime();
		const { context, call, ledger } = this;
		const plan = await this.plan().catch(failureOfRun);
		if ('title' in plan) return this.unlessSent({ delivery: 'rejected', failure: plan });
		const [item] = plan.items;
		if (!isToSend(item)) return item.outcome;
		if (plan.dryRun) {
			const node = context.getNode();
			const content = { ...node.parameters, safeguards: '', options: '' };
			const { json, pairedItem } = outputItem(node, item, 0);
			const shown = isPassed(content) ? json : { dryRun: true };
			return { json: { ...shown, note: DRY_RUN }, pairedItem };
		}

		const { delivery } = plan;
		if (delivery.ledger === ledger) this.message = item.message;
		const [{ outcome }] = await deliver(plan.items, {
			...delivery,
			rateLimitWait: call.limitWait(delivery.rateLimitWait),
			keyWait: call.limitWait(Infinity),
			onOutcome: (ended, message) => {
				this.outcome = ended;
				return delivery.onOutcome(ended, message);
			},
		});
		return outcome;
	}

	private async plan() {
		const { context, call, ledger } = this;
		const isAsking = context.getNodeParameter('operation', 0) === WAITING_OPERATION;
		if (isAsking) throw new RunRejected(CANNOT_WAIT);
		requireOwnArguments(context, call.caller);
		requireSafeRecipient(context, call.caller);
		return await planRun(context, { ledger, continues: true, call });
	}
}
