import {
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	NodeOperationError,
} from 'n8n-workflow';

import { systemClock, withinTime } from '../common/clock';
import { withMutex } from '../common/mutex';
import { endUnread } from '../delivery/beforeAndNow';
import { deliver } from '../delivery/deliver';
import { Ledger } from '../delivery/ledger';
import {
	type Message,
	type PlannedItem,
	isToSend,
	type Failed,
	type Outcome,
	isFailed,
} from '../delivery/message';
import { RunRejected } from '../common/failure';
import { WAITING_OPERATION } from '../n8n/internals';
import { continueBeginning, nodeState } from '../delivery/nodeState';
import { failureOfRun } from '../output/errors';
import { addHints } from '../output/hints';
import { outputItem } from '../output/items';
import { rawParameter } from '../parameters/parameters';
import { prepareRun } from '../run/plan';
import { argumentNames, isPassed, requireOwnArguments, requireSafeRecipient } from './arguments';
import { CANNOT_WAIT, DRY_RUN, OUT_OF_TIME, REPLIES_ARE_LOST, replyText, toolReply } from './reply';
import { type ToolCall, beginTry } from './toolCall';

/**
 * One call of an agent's tool.
 * @returns one item for the agent
 * @throws NodeOperationError if the caller reads it, or for a retry
 */
export async function runTool(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const call = beginTry(context);
	const { caller } = call;
	if (caller === undefined && context.getNode().onError === 'continueErrorOutput')
		throw toolError(context, REPLIES_ARE_LOST);

	const { ended, wasUncertain } = await deliverInTime(context, call);
	if ('json' in ended) return [ended];

	// The parameter at fault as the workflow has it; all of them where none is known.
	const { parameter } = isFailed(ended) ? ended.failure : {};
	const atFault = parameter ? rawParameter(context, parameter) : context.getNode().parameters;
	// An option or a safeguard is only named.
	const isQuotable = !parameter?.includes('.') && isPassed(atFault);
	const json = toolReply(ended, wasUncertain, argumentNames(atFault), isQuotable);
	if (isFailed(ended) && json.error !== ended.failure.title) {
		// Whoever looks at the execution may read why.
		addHints(context, 'warning', [ended.failure.title, ended.failure.description]);
	}
	// An MCP client can read an error, an agent that runs its tools itself can't: there, Retry
	// On Fail needs it.
	const isRetried = caller === 'agent' && !call.isLastTry && ended.delivery !== 'uncertain';
	if (isFailed(ended) && (caller === 'mcp' || isRetried)) throw toolError(context, replyText(json));
	return [{ json, pairedItem: { item: 0 } }];
}

/** An error with exactly these words: n8n would replace some of them with stock texts. */
const toolError = (context: IExecuteFunctions, message: string) =>
	Object.assign(new NodeOperationError(context.getNode(), message), { message });

/**
 * Plans and delivers the message of one try of a call, after those of the calls before it. Ends
 * within the call's time, and sends nothing later.
 * @returns how it ended, or the item of a dry run; and whether another message to this customer
 *   may have been sent
 */
async function deliverInTime(context: IExecuteFunctions, call: ToolCall) {
	const state = nodeState(context);
	const ledger = new Ledger(state, continueBeginning(context), call.id, call.modelId === undefined);
	/**
	 * How far the try has come, which goes on when the time is up: it may still have a key to write.
	 * Without a message, not everything is read and checked yet.
	 */
	const reached: { message?: Message; outcome?: Outcome } = {};

	// A late try knows no message yet. If the one before it has sent it, the ledger has the record.
	const endUnlessSent = (failed: Failed): Outcome => {
		const { message } = reached;
		const entry = message ? ledger.get(message) : ledger.match([{}]).get(0);
		return endUnread(entry && { by: 'ledger', entry }, failed);
	};
	const endLate = () => reached.outcome ?? endUnlessSent(TIME_IS_UP);

	const planAndDeliver = async (): Promise<Outcome | INodeExecutionData> => {
		if (call.leftMs() === 0) return endLate();
		const plan = await prepareCall(context, call, ledger).catch(failureOfRun);
		if ('title' in plan) return endUnlessSent({ delivery: 'rejected', failure: plan });

		const { delivery, dryRun, items } = plan;
		const [item] = items;
		if (!isToSend(item)) return item.outcome;
		if (dryRun) return dryRunReply(context.getNode(), item);

		// The message of a test run isn't the call's, and has no ledger.
		const isTestRun = delivery.ledger !== ledger;
		if (!isTestRun) reached.message = item.message;
		const onOutcome: typeof delivery.onOutcome = (ended, sent) => {
			reached.outcome = ended;
			return delivery.onOutcome(ended, sent);
		};
		const [{ outcome: ended }] = await deliver(items, { ...delivery, onOutcome });
		return ended;
	};

	// One after the other: each call knows how the ones before it ended, and what they count.
	const inTurn = withMutex(state, planAndDeliver);
	const ended = await withinTime(systemClock, call.leftMs(), inTurn, endLate);
	const { message } = reached;
	return { ended, wasUncertain: message !== undefined && ledger.hasUncertain(message) };
}

const TIME_IS_UP: Failed = { delivery: 'notAttempted', failure: OUT_OF_TIME };

/** The request is shown only if all of it comes from the call: the rest can be about others. */
function dryRunReply(node: INode, item: PlannedItem): INodeExecutionData {
	const content = { ...node.parameters, safeguards: '', options: '' };
	const { json, pairedItem } = outputItem(node, item, 0);
	const shown = isPassed(content) ? json : { dryRun: true };
	return { json: { ...shown, note: DRY_RUN }, pairedItem };
}

async function prepareCall(context: IExecuteFunctions, call: ToolCall, ledger: Ledger) {
	const isAsking = context.getNodeParameter('operation', 0) === WAITING_OPERATION;
	if (isAsking) throw new RunRejected(CANNOT_WAIT);
	requireOwnArguments(context, call.caller);
	requireSafeRecipient(context, call.caller);
	return await prepareRun(context, { ledger, continues: true, call });
}
