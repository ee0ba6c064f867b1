import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { deliver } from '../delivery/deliver';
import { fromMemory } from '../delivery/deliveryOutcomes';
import type { Memory } from '../delivery/memory';
import { retriedSince } from '../delivery/memory';
import type { Message } from '../delivery/message';
import type { Outcome } from '../delivery/outcome';
import { isFailed, rejected } from '../delivery/outcome';
import { failureOfRun } from '../output/errors';
import { dryRunItems } from '../output/items';
import { countsMessages } from '../parameters/safeguards';
import { planRun } from '../plan';
import { countDryRun, safeguardHooks } from '../safeguards/hooks';
import type { Facts } from './answer';
import { answerText, toolAnswer } from './answer';
import { CallMemory } from './callMemory';
import { checkToolArguments, checkToolRecipient, toolArguments } from './recipient';
import type { ToolCall } from './toolCall';
import { oneByOne, OUT_OF_TIME } from './toolCall';

/** How a call ended: with an outcome, or in a dry run with what would have been sent. */
type Ended = ({ outcome: Outcome } & Partial<Facts>) | { dryRun: INodeExecutionData };

/**
 * One call of the node as a tool of an AI agent.
 * @returns one item, which the agent reads
 * @throws NodeOperationError where the caller reads an error, and where n8n shall run the node again
 */
export async function runTool(
	context: IExecuteFunctions,
	call: ToolCall,
): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	// n8n's engine drops every item that a tool with an error output gives out; only an error reaches the agent.
	if (call.caller === undefined && node.onError === 'continueErrorOutput') {
		throw toolError(node, ANSWERS_ARE_LOST);
	}
	const ended = await runCall(context, call);
	if ('dryRun' in ended) return [ended.dryRun];

	const { outcome, ...facts } = ended;
	const argumentsOf = (parameter?: string) =>
		toolArguments(
			parameter === undefined
				? node.parameters
				: context.getNodeParameter(parameter, 0, '', { rawExpressions: true }),
		);
	const json = toolAnswer(outcome, facts, argumentsOf);
	if (isFailed(outcome) && isThrown(call, outcome.delivery))
		throw toolError(node, answerText(json));
	return [{ json, pairedItem: { item: 0 } }];
}

const ANSWERS_ARE_LOST =
	"'On Error' of this tool is set to 'Continue (using error output)', and n8n then keeps every result from the agent. Nothing was sent. Tell the person who runs this workflow to set 'On Error' to 'Continue'.";

/**
 * An agent that runs its tools itself can't read an error, but an MCP client can. n8n's own Retry On Fail needs one from
 * a tool that it doesn't run itself.
 */
function isThrown({ caller, isLastTry }: ToolCall, delivery: string): boolean {
	if (caller === 'mcp') return true;
	return caller === 'agent' && !isLastTry && delivery !== 'uncertain';
}

const CALL_TOO_SHORT =
	'It asks to wait for longer than a call of this tool can, which ends within 45 seconds';

/** An error with exactly these words: n8n would replace some of them with stock texts. */
function toolError(node: INode, message: string): NodeOperationError {
	return Object.assign(new NodeOperationError(node, message), { message });
}

async function runCall(context: IExecuteFunctions, call: ToolCall): Promise<Ended> {
	const store = context.getContext('node');
	const executionId = context.getExecutionId() ?? '';
	const memory = new CallMemory(store, call, executionId, retriedSince(context));
	let message: Message | undefined;
	let usedMemory: Memory = memory;

	const isCanceled = () => call.isOver() || context.getExecutionCancelSignal()?.aborted === true;

	const outOfTime = (): Ended => {
		const sent = message && usedMemory.get(message);
		if (sent) return { outcome: fromMemory(sent) };
		const wasUncertain = message !== undefined && memory.hasUncertain(message);
		return { outcome: { delivery: 'notAttempted', failure: OUT_OF_TIME }, wasUncertain };
	};
	const send = async (): Promise<Ended> => {
		let plan: Awaited<ReturnType<typeof planRun>>;
		try {
			checkToolArguments(context, call);
			plan = await planRun(context, memory, isCanceled, {
				id: call.id,
				checkRecipient: (raw) => checkToolRecipient(context, call, raw),
				limitSend: (...args) => call.limitSend(...args),
			});
		} catch (error) {
			return { outcome: fromMemory(memory.ofItem(0)) ?? rejected(failureOfRun(error)) };
		}
		usedMemory = plan.memory;
		const [item] = plan.items;
		if (plan.safeguards.dryRun) {
			countDryRun(plan);
			const [shown] = dryRunItems(context.getNode(), plan.items);
			return {
				dryRun: { ...shown, json: { ...shown.json, note: "Nothing was sent: 'Dry Run' is on." } },
			};
		}
		if ('outcome' in item) return { outcome: item.outcome };

		const found = (message = item.message);
		return await oneByOne(store, `${found.recipient} ${found.request.url}`, async () => {
			const { rateLimitWait, timeout } = plan.settings;
			const isRepeated = usedMemory.get(found)?.delivery === 'accepted';
			const wait = call.limitWait(rateLimitWait);
			const hooks = safeguardHooks(plan, { endsAfterFailures: true });
			const [outcome] = await deliver([found], {
				...plan.settings,
				rateLimitWait: wait,
				rateLimitWaitReason: wait < rateLimitWait ? CALL_TOO_SHORT : undefined,
				keyWait: call.limitWait(timeout + rateLimitWait),
				send: plan.send,
				pace: plan.pace,
				memory: usedMemory,
				keyStore: plan.keyStore,
				eventLoop: plan.eventLoop,
				stopOnFailure: true,
				isCanceled,
				...hooks,
				onProblem: plan.onProblem,
			});
			if (outcome.delivery === 'notAttempted' && call.isOver()) return outOfTime();
			return {
				outcome,
				isRepeated,
				wasUncertain: memory.hasUncertain(found),
				isKeyOfOther: memory.isKeyOfOther(found),
				isStopped: hooks.stopReason !== undefined,
			};
		});
	};
	// Calls at the same time would each be the first one that a safeguard counts.
	const work = async () =>
		countsMessages(context) ? await oneByOne(store, 'counted calls', send) : await send();
	return await call.withinTime(work, outOfTime);
}
