import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { withLiveLink } from './ask';
import { deliver } from './delivery/deliver';
import { fromMemory } from './delivery/deliveryOutcomes';
import { yieldIfDue } from './delivery/eventLoop';
import type { Memory } from './delivery/memory';
import { memoryOf } from './delivery/memory';
import type { Outcome } from './delivery/outcome';
import { rejected } from './delivery/outcome';
import { addContentHints } from './output/contentHints';
import { failureOfRun, rejectedListError, rejectedRunError, runError } from './output/errors';
import { addDryRunHints, addOutcomeHints, addRecipientHints } from './output/hints';
import { isHumanReview, neverThrows, withReason } from './tool/humanReview';
import { dryRunItems, outputItems } from './output/items';
import { progressLog } from './output/progress';
import type { Plan } from './plan';
import { planRun } from './plan';
import { countDryRun, safeguardHooks } from './safeguards/hooks';
import { runTool } from './tool/runTool';
import { isToolCall } from './tool/toolCall';

/**
 * One run of the node: read and check all items, send the ones that are fine, say how each one ended.
 * @returns one item per input item, in input order
 * @throws NodeApiError or NodeOperationError in stop mode; in the continue modes it never throws, because n8n would put
 *   the input items on the success output, as if they were sent
 */
export async function run(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	if (isToolCall(context.getNode())) return await runTool(context);
	const items = await runItems(context);
	return isHumanReview(context.getNode()) ? items.map(withReason) : items;
}

async function runItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const continues = context.continueOnFail() || neverThrows(node);
	const memory = memoryOf(context);
	const isCanceled = () => context.getExecutionCancelSignal()?.aborted === true;
	const sentBefore = memory.size;

	const finish = async (outcomes: Outcome[], usedMemory: Memory, pushedOutKeys = 0) => {
		const items = await outputItems(node, outcomes);
		// n8n runs a node again, in the continue modes too, when the first item that it puts out has an `error`.
		const runsAgain = node.retryOnFail === true && 'error' in items[0].json;
		if (!runsAgain) usedMemory.forget();
		await yieldIfDue();
		addOutcomeHints(context, outcomes, pushedOutKeys);
		return items;
	};

	let plan: Plan;
	try {
		plan = await planRun(context, memory, isCanceled);
	} catch (error) {
		const failure = failureOfRun(error);
		if (!continues) throw rejectedRunError(node, failure, sentBefore);
		const outcomes = context
			.getInputData()
			.map((_, itemIndex) => fromMemory(memory.ofItem(itemIndex)) ?? rejected(failure))
			.map((outcome) => withLiveLink(context, outcome));
		return await finish(outcomes, memory);
	}

	const { items, messages, keyStore } = plan;
	addRecipientHints(context, messages);
	addContentHints(context, messages);
	if (plan.safeguards.dryRun) {
		countDryRun(plan);
		addDryRunHints(context, items);
		return dryRunItems(node, items);
	}
	if (plan.rejected.size > 0 && !continues) {
		throw rejectedListError(node, plan.rejected, items.length, sentBefore);
	}

	const logProgress = progressLog(context.logger, node.name, messages.length);
	const { settings } = plan;
	const delivered = await deliver(messages, {
		...settings,
		send: plan.send,
		pace: plan.pace,
		memory: plan.memory,
		keyStore,
		...safeguardHooks(plan, { endsAfterFailures: continues, onOutcome: logProgress }),
		stopOnFailure: !continues,
		isCanceled,
		onProblem: plan.onProblem,
	});
	let next = 0;
	const outcomes = items
		.map((item) => ('message' in item ? delivered[next++] : item.outcome))
		.map((outcome) => withLiveLink(context, outcome, plan.asking?.question));

	// All of them have one, or none.
	const hasSendOnceKeys = messages.some(({ sendOnceKey }) => sendOnceKey !== undefined);
	const state = { hasSendOnceKeys, isCanceled: isCanceled() };
	const error = continues ? undefined : runError(node, outcomes, state);
	if (error) throw error;
	const [outcome] = outcomes;
	if (plan.asking?.question && outcome.delivery === 'accepted') {
		addOutcomeHints(context, outcomes, keyStore?.pushedOut ?? 0);
		return await plan.asking.person.wait(plan.asking.question, outcome);
	}
	return await finish(outcomes, plan.memory, keyStore?.pushedOut);
}
