import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { mapInTurns, yieldIfDue } from './common/eventLoop';
import { deliver } from './delivery/deliver';
import { rejectedUnlessSent } from './delivery/deliveryOutcomes';
import { type Memory, memoryOf } from './delivery/memory';
import { type PlannedItem, messagesToSend } from './delivery/message';
import type { Outcome } from './delivery/outcome';
import { isHumanReview, isToolCall } from './n8n/internals';
import { nodeState, total } from './n8n/nodeState';
import { failureOfRun, rejectedListError, rejectedRunError, runError } from './output/errors';
import { addDryRunHints, addMessageHints, addOutcomeHints } from './output/hints';
import { dryRunItem, outputItems, withInput } from './output/items';
import { addedNames, rawParameter } from './parameters/parameters';
import { type Plan, planRun } from './plan';
import { runTool } from './tool/runTool';
import { neverThrows, withReason } from './waitForResponse/humanReview';

/**
 * One run of the node: each item becomes a message, and its outcome an item. The route:
 *
 *   a call of an agent's tool    goes through tool/runTool.ts, which plans and delivers like this
 *   planRun                      reads, checks and judges all items; nothing is sent yet
 *   rejected as a whole          in stop mode an error, otherwise each item fails
 *   dry run                      ends here: the items show what would be sent
 *   some items rejected          in stop mode an error, otherwise the others go on
 *   deliver                      sends each message, or says why not
 *   one wasn't accepted          in stop mode an error that names the first one
 *   one question was asked       waits for its answer
 *   putOut                       the items
 *
 * Hints are added at each end: how many messages ended how, then notes on messages and recipients.
 *
 * @returns one item per input item, in input order
 * @throws NodeApiError or NodeOperationError in stop mode; in the continue modes it never throws, because n8n would put
 *   the input items on the success output, as if they were sent
 */
export async function run(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	if (isToolCall(node)) return await runTool(context);
	const continues = isHumanReview(node) ? neverThrows(node) : context.continueOnFail();
	const memory = memoryOf(context);
	const isCanceled = () => context.getExecutionCancelSignal()?.aborted === true;
	const sentBefore = {
		inEarlierTries: memory.size,
		inExecution: total(nodeState(context).counts?.sent),
	};
	const plan = await planRun(context, { memory, continues, isCanceled }).catch(failureOfRun);
	if ('title' in plan) {
		const isKeyed = addedNames(context, 'safeguards').has('sendOnceKey');
		if (!continues) throw rejectedRunError(node, plan, sentBefore, isKeyed);
		const outcomes = context
			.getInputData()
			.map((_, itemIndex) => rejectedUnlessSent(plan, { memory, itemIndex }));
		addOutcomeHints(context, outcomes);
		return await putOut(context, outcomes, [], memory);
	}

	const { items, delivery, dryRun, hasKeys } = plan;
	const messages = messagesToSend(items);
	try {
		if (dryRun) return await dryRunItems(context, plan);

		const isRepeatable = hasKeys || sentBefore.inExecution === 0;
		const listError = continues
			? undefined
			: rejectedListError(node, items, sentBefore, isRepeatable);
		if (listError) throw listError;

		await yieldIfDue();
		const outcomes = await deliver(items, delivery);
		const state = { hasKeys, isCanceled: isCanceled() };
		const error = continues ? undefined : runError(node, outcomes, sentBefore, state);
		if (error) throw error;

		addOutcomeHints(context, outcomes, items, delivery.keyStore?.pushedOut);
		const [first] = outcomes;
		if (plan.wait && first.delivery === 'accepted') return await plan.wait(first);
		return await putOut(context, outcomes, items, delivery.memory);
	} finally {
		// The counts come first: there's little room for more.
		await addMessageHints(context, messages, dryRun !== undefined);
	}
}

async function dryRunItems(context: IExecuteFunctions, { items, dryRun }: Plan) {
	addDryRunHints(context, items, dryRun?.warning);
	const node = context.getNode();
	const input = context.getInputData();
	const shown = await mapInTurns(items, (item, index) =>
		dryRunItem(node, item, index, input[index].json),
	);
	const outcomes = items.map(({ outcome }) => outcome);
	return completed(context, shown, outcomes);
}

/** Ends this try. @param planned empty if the items couldn't be read */
async function putOut(
	context: IExecuteFunctions,
	outcomes: Outcome[],
	planned: PlannedItem[],
	memory: Memory,
): Promise<INodeExecutionData[]> {
	await yieldIfDue();
	const node = context.getNode();
	const items = await outputItems(node, outcomes, planned);
	// n8n runs a node again, in the continue modes too, when the first item that it puts out has an `error`.
	const runsAgain = node.retryOnFail === true && 'error' in items[0].json;
	const uncertain = planned.flatMap(({ message }, index) =>
		message && mayHaveArrived(outcomes[index]) ? [message] : [],
	);
	memory.endTry(uncertain, runsAgain);
	return completed(context, items, outcomes);
}

/** Whether the customer may have the message, also if an earlier step left it so and this one rejected it for that. */
const mayHaveArrived = (outcome: Outcome) =>
	outcome.delivery === 'uncertain' ||
	(outcome.delivery === 'rejected' && outcome.failure.reason === 'uncertainDelivery');

/** With the input's own fields if the user wants them. In a human review, each item without an answer says why. */
function completed(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
	outcomes: Array<Outcome | undefined>,
): INodeExecutionData[] {
	if (String(rawParameter(context, 'options.includeInputFields')) === 'true') {
		return withInput(items, outcomes, context.getInputData());
	}
	if (!isHumanReview(context.getNode())) return items;
	return items.map((item, index) => withReason(item, outcomes[index]));
}
