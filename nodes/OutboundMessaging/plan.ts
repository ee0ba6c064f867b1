import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { mapInTurns } from './common/eventLoop';
import { nodeState } from './n8n/nodeState';
import { twoLines } from './common/twoLines';
import {
	alreadySent,
	fromMemory,
	isSettled,
	rejectedUnlessSent,
} from './delivery/deliveryOutcomes';
import { openKeyStore } from './delivery/keys/keyStore';
import { type Memory, noMemory } from './delivery/memory';
import { type PlannedItem, messagesOf, ownKey, toSend } from './delivery/message';
import type { Accepted, Send } from './delivery/outcome';
import { misconfigured } from './delivery/runRejected';
import type { Delivery } from './delivery/sending';
import { operationNamed } from './operations';
import { progressLog } from './output/progress';
import { requireSameForEveryItem } from './parameters/runValues';
import { options, readSettings } from './parameters/options';
import { readMessages } from './input/readMessages';
import { readRecipients, readSafeguards } from './safeguards/readSafeguards';
import { requireSameContentForSameKey } from './safeguards/sendOnceKey';
import { applySafeguards, judgeAgain, safeguardFields } from './safeguards';
import { ExecutionState } from './safeguards/executionState';
import { countingWhileSending } from './safeguards/stopAfterFailures';
import { readRunCredential } from './service/credential';
import { serviceSender } from './service/http';
import { answerLink } from './waitForResponse/ask';

export interface Plan {
	items: PlannedItem[];
	/** Whether nothing shall be sent: the items only show what would be. */
	isDryRun: boolean;
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
	/** Of a call: its ID, and how it sends within its time. */
	call?: { id: string; limitSend(timeout: number, senderWith: (timeout: number) => Send): Send };
}

/** Reads and checks everything; sends nothing. @throws when the run is rejected as a whole: see failureOfRun */
export async function planRun(context: IExecuteFunctions, how: PlanOptions): Promise<Plan> {
	const reading = await readAll(context, how);
	const { link, read, send, settings, values } = reading;
	const { items, memory, state } = await judge(context, reading, how);

	const { dryRun: isDryRun, resendUncertain, stopAfterFailures } = values;
	const { continues, isCanceled } = how;
	const limit = continues ? stopAfterFailures : 0;
	const guards = countingWhileSending({ ...settings, limit }, state);
	const sent = isDryRun ? [] : toSend(items);
	const keyStore = openKeyStore(context, sent, memory, settings.timeout);
	await keyStore?.prepare(isCanceled);
	const { name } = context.getNode();
	const logProgress = progressLog(context.logger, name, messagesOf(items).length);
	const delivery: Delivery = {
		...settings,
		...guards,
		...{ isCanceled, keyStore, memory, resendUncertain, send },
		beforeRequest: (message) => judgeAgain(message, values),
		pace: (nodeState(context).pace ??= {}),
		stopOnFailure: !continues,
		onOutcome: (outcome, message) => {
			logProgress(outcome);
			return guards.onOutcome(outcome, message);
		},
		onProblem: (problem) => context.logger.warn(`${name}: ${problem}`),
	};
	const question = 'message' in read[0] ? read[0].question : undefined;
	const wait = link && question && (async (asked: Accepted) => await link.wait(question, asked));
	return { items, isDryRun, delivery, wait };
}

/** What the parameters, the credential and the items say, and how to send. */
async function readAll(context: IExecuteFunctions, { call }: PlanOptions) {
	await requireSameForEveryItem(context, { options, safeguards: safeguardFields });
	const settings = readSettings(context);
	const sendAs = context.getNodeParameter('sendAs', 0, 'text');
	const operation = operationNamed(context.getNodeParameter('operation', 0), sendAs);
	if (operation === undefined) throw misconfigured(UNKNOWN_OPERATION);
	const { recipientField } = operation;
	const { credential, connection } = await readRunCredential(context);
	const { baseUrl } = connection;
	const url = baseUrl + operation.path;
	const { limitWaitTime } = settings;
	const link = operation.asks ? answerLink(context, baseUrl, limitWaitTime) : undefined;
	const senderWith = (timeout: number) => serviceSender(context, credential, connection, timeout);
	const inTime = call?.limitSend(settings.timeout, senderWith) ?? senderWith(settings.timeout);
	const send = link?.sender(inTime) ?? inTime;

	const safeguards = readSafeguards(context);
	const { resendUncertain } = safeguards;
	const isToolCall = call !== undefined;
	const forItems = { ...settings, isToolCall, resendUncertain, link: link?.url };
	const read = await readMessages(context, operation, url, forItems);
	// Phone numbers in safeguards may have no country code, just as those of the items.
	const countries = new Set(read.flatMap(({ defaultCountry }) => defaultCountry ?? []));
	const recipients = await readRecipients(context, recipientField, [...countries]);
	const values = { ...safeguards, ...recipients };
	return { link, read, recipientField, send, settings, url, values };
}

/** What earlier tries have settled stays so, even if its item can't be read now; the safeguards judge the rest. */
async function judge(
	context: IExecuteFunctions,
	{ link, read, recipientField, url, values }: Awaited<ReturnType<typeof readAll>>,
	{ memory: ofRun, call }: PlanOptions,
) {
	// A test run leaves no trace: the messages that it sends aren't those of its items.
	const memory = values.testRecipient === undefined ? ofRun : noMemory();
	const planned = await mapInTurns(read, (item, itemIndex): PlannedItem => {
		if (!('message' in item))
			return { outcome: rejectedUnlessSent(item.rejected, { memory, itemIndex, url }) };
		const { message } = item;
		memory.countEqual(message);
		const earlier = fromMemory(memory.get(message), message);
		return { message, earlier, isSettled: earlier && isSettled(earlier, values.resendUncertain) };
	});
	const state = new ExecutionState(context, values, call?.id);
	const items = await applySafeguards(planned, values, { state, recipientField });
	await requireSameContentForSameKey(messagesOf(items));
	if (toSend(items).length > 0) await link?.beginAsking();
	return { items: values.dryRun ? await countedDryRun(items, state) : items, memory, state };
}

const UNKNOWN_OPERATION = twoLines`'Operation' has a value that this node doesn't know
	Choose one of the operations from the list of 'Operation'`;

/** A dry run shows what a retry would do, and counts what would be sent, so that the runs after it show what they would do. */
async function countedDryRun(items: PlannedItem[], state: ExecutionState): Promise<PlannedItem[]> {
	const keys = new Set<string | undefined>();
	return await mapInTurns(items, (item) => {
		if ('outcome' in item) return item;
		const { message, earlier } = item;
		if (earlier && item.isSettled) return { outcome: earlier };
		const key = ownKey(message);
		if (keys.has(key)) return { outcome: alreadySent(message) };
		if (key !== undefined) keys.add(key);
		state.count({ delivery: 'accepted', record: {} }, message);
		return item;
	});
}
