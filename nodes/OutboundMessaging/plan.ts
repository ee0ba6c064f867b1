import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { mapInTurns } from './common/eventLoop';
import { twoLines } from './common/twoLines';
import { alreadySent, fromMemory, isFinal, rejectedUnlessSent } from './delivery/deliveryOutcomes';
import { openKeyStore } from './delivery/keys/keyStore';
import { type Memory, noMemory } from './delivery/memory';
import { type PlannedItem, isToSend, messagesToSend, ownKey } from './delivery/message';
import type { Accepted, Send } from './delivery/outcome';
import { misconfigured } from './delivery/runRejected';
import type { Delivery } from './delivery/sending';
import { type ReadItem, readMessages } from './input/readMessages';
import { UNCERTAIN_ITEM } from './input/uncertainItems';
import { nodeState } from './n8n/nodeState';
import { operationNamed } from './operations';
import type { Operation } from './operations/operation';
import { progressLog } from './output/progress';
import { type Settings, options, readSettings } from './parameters/options';
import { addedNames, requireSameForEveryItem } from './parameters/runValues';
import {
	type SafeguardValues,
	applySafeguards,
	beforeRequest,
	readSafeguards,
	safeguardFields,
} from './safeguards';
import { dryRunOf } from './safeguards/dryRun';
import { beginRun } from './safeguards/executionState';
import type { Judging } from './safeguards/safeguard';
import { requireSameContentForSameKey } from './safeguards/sendOnceKey';
import { countingWhileSending } from './safeguards/stopAfterFailures';
import { readRunCredential } from './service/credential';
import { serviceSender } from './service/http';
import { answerLink } from './waitForResponse/ask';

export interface Plan {
	items: PlannedItem[];
	/** Whether nothing shall be sent: the items only show what would be. */
	isDryRun: boolean;
	dryRunWarning?: string;
	delivery: Delivery;
	/** Waits for the answer to an accepted question; missing if none is asked, or its item can't be read. */
	wait?(asked: Accepted): Promise<INodeExecutionData[]>;
}

/** What a run and a call of an AI agent's tool plan each in its own way. */
interface PlanOptions {
	memory: Memory;
	/** Whether a message that fails is an item, and not the end of the run. */
	continues: boolean;
	isCanceled(): boolean;
	/** A call's ID, and how it sends within its time. */
	call?: { id: string; limitSend(timeout: number, senderWith: (timeout: number) => Send): Send };
}

/** Reads and checks everything; sends nothing. @throws when the run is rejected as a whole: see failureOfRun */
export async function planRun(context: IExecuteFunctions, how: PlanOptions): Promise<Plan> {
	const isToolCall = how.call !== undefined;
	await requireSameForEveryItem(context, { options, safeguards: safeguardFields });
	const settings = await readSettings(context);
	const operation = readOperation(context);
	const { url, send, link } = await connect(context, operation, settings, how.call);
	const read = await readMessages(context, operation, url, {
		...settings,
		isToolCall,
		link: link?.url,
	});
	const values = await safeguardValues(context, operation, read);
	const { isDryRun, warning } = await dryRunOf(context, values.dryRun);
	// A test run leaves no trace, and claims no keys: the messages that it sends aren't those of its items.
	const isTestRun = values.testRecipient !== undefined;
	const memory = isTestRun ? noMemory() : how.memory;
	const state = beginRun(context, {
		isDryRun,
		keepsRecipients: values.repeatedRecipients !== 'sendAll',
		callId: how.call?.id,
	});
	const judging: Judging = {
		state,
		hasKeys: addedNames(context, 'safeguards').has('sendOnceKey') && !isTestRun,
		recipientField: operation.recipientField,
	};

	const remembered = await compareWithMemory(read, { memory, url, values, state, isToolCall });
	const judged = await applySafeguards(remembered, values, judging);
	// With Send First, a customer gets one message: two that share a key aren't both sent.
	if (values.repeatedRecipients !== 'sendFirst') {
		await requireSameContentForSameKey(messagesToSend(judged));
	}
	if (messagesToSend(judged).length > 0) await link?.beginAsking();
	const items = isDryRun ? await simulate(judged, values, judging) : judged;

	const keyStore = isDryRun ? undefined : openKeyStore(context, items, memory, settings.timeout);
	await keyStore?.prepare(how.isCanceled);
	const { name } = context.getNode();
	const logProgress = progressLog(context.logger, name, messagesToSend(items).length);
	const counting = countingWhileSending(
		{
			limit: how.continues ? values.stopAfterFailures : 0,
			maxConcurrency: settings.maxConcurrency,
			isToolCall,
		},
		state,
	);
	const delivery: Delivery = {
		...settings,
		...counting,
		isCanceled: how.isCanceled,
		keyStore,
		memory,
		onUncertainDelivery: values.onUncertainDelivery,
		send,
		beforeRequest: (message, isClaimed) => beforeRequest(message, values, judging, isClaimed),
		pace: (nodeState(context).pace ??= {}),
		stopOnFailure: !how.continues,
		onOutcome: (outcome, message) => {
			logProgress(outcome);
			return counting.onOutcome(outcome, message);
		},
		onProblem: (problem) => context.logger.warn(`${name}: ${problem}`),
	};
	const question = read[0].message && read[0].question;
	const wait = link && question && (async (asked: Accepted) => await link.wait(question, asked));
	return { items, isDryRun, dryRunWarning: warning, delivery, wait };
}

function readOperation(context: IExecuteFunctions): Operation {
	const sendAs = context.getNodeParameter('sendAs', 0, 'text');
	const operation = operationNamed(context.getNodeParameter('operation', 0), sendAs);
	if (operation !== undefined) return operation;
	throw misconfigured(twoLines`'Operation' has a value that this node doesn't know
		Choose one of the operations from the list of 'Operation'`);
}

/** Where and how messages are sent. @throws RunRejected */
async function connect(
	context: IExecuteFunctions,
	operation: Operation,
	{ timeout, limitWaitTime }: Settings,
	call: PlanOptions['call'],
) {
	const { credential, connection } = await readRunCredential(context);
	const { baseUrl } = connection;
	const link = operation.asks ? answerLink(context, baseUrl, limitWaitTime) : undefined;
	const senderWith = (limit: number) => serviceSender(context, credential, connection, limit);
	const inTime = call?.limitSend(timeout, senderWith) ?? senderWith(timeout);
	return { url: baseUrl + operation.path, send: link?.sender(inTime) ?? inTime, link };
}

/** @throws RunRejected */
async function safeguardValues(
	context: IExecuteFunctions,
	{ recipientField }: Operation,
	read: ReadItem[],
): Promise<SafeguardValues> {
	// Phone numbers in safeguards may have no country code, just as those of the items.
	const countries = [...new Set(read.flatMap(({ defaultCountry }) => defaultCountry ?? []))];
	return await readSafeguards(context, {
		recipient: (value) => recipientField.check(value, countries),
		readings: (value) => recipientField.readings(value, countries),
	});
}

interface Known {
	memory: Memory;
	url: string;
	values: SafeguardValues;
	state: Judging['state'];
	isToolCall: boolean;
}

/** What earlier tries have settled stays so, even if its item can't be read now. What earlier steps left uncertain is rejected. */
async function compareWithMemory(read: ReadItem[], known: Known) {
	const { memory, url, values, state, isToolCall } = known;
	const { onUncertainDelivery } = values;
	return await mapInTurns(read, (item, itemIndex): PlannedItem => {
		const isHeldBack = item.wasLeftUncertain && onUncertainDelivery === 'doNotResend';
		if (item.message === undefined) {
			const failure = isHeldBack ? UNCERTAIN_ITEM : item.rejected;
			return { outcome: rejectedUnlessSent(failure, { memory, itemIndex, url }) };
		}
		const { message } = item;
		if (isHeldBack) {
			const outcome = rejectedUnlessSent(UNCERTAIN_ITEM, { memory, itemIndex, url });
			return { message, outcome };
		}
		message.retryKey = memory.retryKeyOf(message);
		const earlier = fromMemory(memory.get(message), message);
		// An equal call may be under way: how it ended is known when this one's turn comes.
		if (earlier && !isToolCall && isFinal(earlier, onUncertainDelivery)) {
			state.count(earlier, message);
			return { message, outcome: earlier };
		}
		message.wasCounted = earlier !== undefined;
		return { message, earlier };
	});
}

/** A dry run shows what a run would do, one message after the other, and counts it, so that the runs after it show theirs. */
async function simulate(
	items: PlannedItem[],
	values: SafeguardValues,
	judging: Judging,
): Promise<PlannedItem[]> {
	const keys = new Set<string>();
	return await mapInTurns(items, (item): PlannedItem => {
		if (!isToSend(item)) return item;
		const { message } = item;
		const notSent = beforeRequest(message, values, judging, false);
		if (notSent) return { message, outcome: notSent };
		const key = ownKey(message);
		if (key !== undefined && keys.has(key)) return { message, outcome: alreadySent(message) };
		if (key !== undefined) keys.add(key);
		const keptBack = beforeRequest(message, values, judging, true);
		if (keptBack) return { message, outcome: keptBack };
		judging.state.count({ delivery: 'accepted', record: {} }, message);
		return item;
	});
}
