import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import { mapAndYield, yieldIfDue } from '../common/eventLoop';
import { mayHaveArrived } from '../delivery/beforeAndNow';
import { deliver } from '../delivery/deliver';
import { type Ledger, ledgerOf } from '../delivery/ledger';
import { type EndedItem, type PlannedItem, messagesToSend, isFailed } from '../delivery/message';
import { isHumanReview, othersSend } from '../n8n/internals';
import { nodeState, total } from '../delivery/nodeState';
import { failureOfRun, rejectedListError, rejectedRunError, runError } from '../output/errors';
import { addDryRunHints, addHints, addMessageHints, addOutcomeHints } from '../output/hints';
import { outputItem } from '../output/items';
import { addedNames, rawParameter } from '../parameters/parameters';
import { itemsOfRejectedRun, prepareRun } from './plan';
import { neverThrows, withReason } from '../waitForResponse/humanReview';

/**
 * One run of the node: each item becomes a message, and its outcome an item. The route:
 *
 *   prepareRun                   reads, checks and judges all items; nothing is sent yet
 *   rejected as a whole          in stop mode an error, otherwise no item is attempted
 *   dry run                      ends here: the items show what would be sent
 *   some items rejected          in stop mode an error, otherwise the others go on
 *   deliver                      sends each message, or says why not
 *   one failed                   in stop mode an error that names the one that says most
 *   one question was asked       waits for its answer
 *   putOut                       the items
 *
 * Hints are added at the end: how many messages ended how, if there's no error, and notes on
 * messages, if the run was planned.
 *
 * What the ledger keeps then, for the next try:
 *
 *   an error is thrown, a question waits,   all: a retry doesn't send again what was accepted
 *   or Retry On Fail runs the node again
 *   the items are put out                   what's uncertain: see Ledger.endRun()
 *
 * @returns one item per input item, in input order
 * @throws NodeApiError or NodeOperationError in stop mode; in the continue modes it never throws,
 *   because n8n would put the input items on the success output, as if they were sent
 */
export async function run(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const continues = isHumanReview(node) ? neverThrows(node) : context.continueOnFail();
	if (!continues) return await runList(context, false);
	return await runList(context, true).catch((error: unknown) => showRejectedRun(context, error));
}

async function runList(context: IExecuteFunctions, continues: boolean) {
	const node = context.getNode();
	const ledger = ledgerOf(context);
	const { sending, testRun } = nodeState(context).counts ?? {};
	const inExecution = total(sending?.sent) + total(testRun?.sent);
	const hasKeys = addedNames(context, 'safeguards').has('sendOnceKey');
	const workflow = context.getWorkflow().name;
	const sentBefore = { inExecution, hasKeys, othersSend: othersSend(context), workflow };
	const plan = await prepareRun(context, { ledger, continues }).catch((error: unknown) => {
		throw continues ? error : rejectedRunError(node, failureOfRun(error), sentBefore);
	});

	const { items, delivery, dryRun } = plan;
	const messages = messagesToSend(items);
	try {
		if (dryRun) {
			addDryRunHints(context, items, dryRun.otherSafeguards, continues);
			addHints(context, 'warning', dryRun.warnings);
			return await shownItems(context, items, true);
		}

		const listError = continues ? undefined : rejectedListError(node, items, sentBefore);
		if (listError) throw listError;

		await yieldIfDue();
		const ended = await deliver(items, delivery);
		const error = continues ? undefined : runError(node, ended, sentBefore, delivery.isCanceled());
		if (error) throw error;

		addOutcomeHints(context, ended, delivery.keyStore?.pushedOut);
		const [{ outcome: first }] = ended;
		if (plan.wait && first.delivery === 'accepted') return await plan.wait(first);
		return await putOut(context, ended, delivery.ledger);
	} finally {
		// The counts come first: there's little room for more.
		await addMessageHints(context, messages, dryRun !== undefined);
	}
}

/** The items of a run that was rejected as a whole. The ledger stays as it is. */
function showRejectedRun(context: IExecuteFunctions, error: unknown): INodeExecutionData[] {
	const items = itemsOfRejectedRun(context, ledgerOf(context), failureOfRun(error));
	addOutcomeHints(context, items);
	return items.map((item, itemIndex) => shownItem(context.getNode(), item, itemIndex));
}

/** In a human review, each item without an answer says why. */
function shownItem(node: INode, item: PlannedItem, itemIndex: number): INodeExecutionData {
	const shown = outputItem(node, item, itemIndex);
	return isHumanReview(node) ? withReason(shown, item.outcome) : shown;
}

/** Ends this try. */
async function putOut(context: IExecuteFunctions, items: EndedItem[], ledger: Ledger) {
	const shown = await shownItems(context, items, false);
	// n8n runs a node again, in the continue modes too, when the first item that it puts
	// out has an `error`.
	const runsAgain = context.getNode().retryOnFail === true && 'error' in shown[0].json;
	const uncertain = items.flatMap(({ message, outcome }) =>
		message && mayHaveArrived(outcome) ? [message] : [],
	);
	if (!runsAgain) ledger.endRun(uncertain);
	return shown;
}

/**
 * The items as they're put out, with the input's own fields: those of failed items in a dry run
 * only, of others if the user wants them.
 */
async function shownItems(context: IExecuteFunctions, items: PlannedItem[], isDryRun: boolean) {
	const node = context.getNode();
	const addsInput = String(rawParameter(context, 'options.includeInputFields')) === 'true';
	// n8n knows failed items by having no other keys, and at an error output it adds the
	// input's fields itself.
	const addsInputIfFailed = isDryRun && node.onError !== 'continueErrorOutput';
	return await mapAndYield(items, (item, index) => {
		const shown = shownItem(node, item, index);
		const { outcome } = item;
		const hasInput = outcome && isFailed(outcome) ? addsInputIfFailed : addsInput;
		const input = context.getInputData()[index].json;
		return hasInput ? { ...shown, json: { ...shown.json, input } } : shown;
	});
}
