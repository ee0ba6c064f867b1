import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { mapAndYield } from '../common/eventLoop';
import { twoLines, type Failure, misconfigured } from '../common/failure';
import { endKnown, endUnread, isFinal } from '../delivery/beforeAndNow';
import { openKeyStore } from '../delivery/keys/keyStore';
import { keysOfEnded } from '../delivery/keys/messageKeys';
import { type Ledger, noLedger } from '../delivery/ledger';
import {
	type Before,
	type EndedItem,
	type PlannedItem,
	messagesToSend,
	type Accepted,
	type Failed,
	type Send,
} from '../delivery/message';
import type { SendSettings } from '../delivery/sending';
import { type ReadItem, readMessages } from './readMessages';
import { type LedgerEntry, nodeState } from '../delivery/nodeState';
import { operationNamed } from '../operations';
import type { Operation } from '../operations/operation';
import { progressLog } from '../output/progress';
import { options } from '../operations/options';
import { Parameters, type RunValues } from '../parameters/parameters';
import { type RunSafeguards, readSafeguards } from '../safeguards';
import {
	rejectedAsUncertain,
	uncertainDetails,
	uncertainItems,
} from '../safeguards/uncertainDelivery';
import { readRunCredential } from '../service/credential';
import { serviceSender } from '../service/http';
import { answerLink } from '../waitForResponse/ask';

interface Plan {
	items: PlannedItem[];
	/** Set if nothing is sent: the items only show what would be. */
	dryRun: RunSafeguards['dryRun'];
	delivery: SendSettings;
	/**
	 * Waits for the answer to an accepted question; missing if none is asked, or its
	 * item can't be read.
	 */
	wait?(asked: Accepted): Promise<INodeExecutionData[]>;
}

/** What a run and a call of an AI agent's tool plan each in its own way. */
interface PlanOptions {
	ledger: Ledger;
	/** Whether a message that fails is an item, and not the end of the run. */
	continues: boolean;
	/** A call's ID, and how it sends within its time. */
	call?: { id: string; leftMs(): number; longestWaitMs(): number; limitSend(send: Send): Send };
}

/**
 * Prepares a run: sends nothing, but writes keys. The order of the steps:
 *
 * readOperation, valuesOfRun  what to send, and how
 * connect                     where to, and the link of a question
 * readMessages                each item becomes a message, or is rejected
 * readSafeguards              after the items: phone numbers in a safeguard are read by the items'
 *                             default countries
 * lookUp                      what earlier tries have settled stays so
 * judge                       what the safeguards let through; a dry run ends here
 * beginAsking                 if a question is to be sent
 * openKeyStore, prepare       writes the keys of what earlier tries have ended; claims none yet
 *
 * @throws when the run is rejected as a whole: see failureOfRun
 */
export async function prepareRun(context: IExecuteFunctions, how: PlanOptions): Promise<Plan> {
	const { call, continues } = how;
	const isCanceled = () =>
		call?.leftMs() === 0 || context.getExecutionCancelSignal()?.aborted === true;
	const operation = readOperation(context);
	const parameters = new Parameters(context, operation.recipientField);
	const settings = await parameters.valuesOfRun('options', options);
	const { url, send, link } = await connect(context, operation, settings, call);
	const messageOptions = { ...settings, isToolCall: call !== undefined, link: link?.url };
	const read = await readMessages(parameters, operation, url, messageOptions);
	const safeguards = await readSafeguards(parameters, call?.id);
	const { dryRun, isTestRun } = safeguards;
	// A test run isn't remembered: the messages that it sends aren't those of its items.
	const ledger = isTestRun ? noLedger() : how.ledger;
	const recipientName = operation.recipientField.name;
	const known = await lookUp(context, read, { ledger, url, recipientName }, safeguards);
	const items = await safeguards.judge(known);
	const messages = messagesToSend(items);
	if (!dryRun && messages.length > 0) await link?.beginAsking();
	const ended = keysOfEnded(items);
	const keyStore = dryRun
		? undefined
		: openKeyStore(context, ledger, items, ended, settings.timeout);
	await keyStore?.prepare(isCanceled, ended);

	const { name } = context.getNode();
	const logProgress = progressLog(context.logger, name, messages.length);
	const keyWait = call?.longestWaitMs();
	const guards = safeguards.whileSending(continues);
	const delivery: SendSettings = {
		...guards,
		maxConcurrency: settings.maxConcurrency,
		messagesPerSecond: settings.messagesPerSecond,
		rateLimitWait: Math.min(settings.rateLimitWait * 1000, keyWait ?? Infinity),
		keyWait,
		isCanceled,
		keyStore,
		ledger,
		send,
		pace: (nodeState(context).pace ??= {}),
		stopOnFailure: !continues,
		onOutcome: (outcome, message) => {
			logProgress(outcome);
			return guards.onOutcome(outcome, message);
		},
		onProblem: (problem) => context.logger.warn(`${name}: ${problem}`),
	};
	const [{ question }] = read;
	const wait = link && question && (async (asked: Accepted) => await link.wait(question, asked));
	return { items, dryRun, delivery, wait };
}

function readOperation(context: IExecuteFunctions): Operation {
	const sendAs = context.getNodeParameter('sendAs', 0, 'text');
	const operation = operationNamed(context.getNodeParameter('operation', 0, ''), sendAs);
	if (operation !== undefined) return operation;
	throw misconfigured(twoLines`'Operation' or 'Send As' has a value that this node doesn't know
		Choose one of the values from its list`);
}

/** Where and how messages are sent. @throws RunRejected */
async function connect(
	context: IExecuteFunctions,
	operation: Operation,
	{ timeout, limitWaitTime }: RunValues<typeof options>,
	call: PlanOptions['call'],
) {
	const { credential, connection } = await readRunCredential(context);
	const { baseUrl } = connection;
	const link = operation.asks ? answerLink(context, baseUrl, limitWaitTime) : undefined;
	const send = serviceSender(context, credential, connection, timeout);
	return { url: baseUrl + operation.path, send: call?.limitSend(send) ?? send, link };
}

/** What is known of each item before this try: by the ledger, or else by the item itself. */
async function lookUp(
	context: IExecuteFunctions,
	read: ReadItem[],
	{ ledger, url, recipientName }: { ledger: Ledger; url: string; recipientName: string },
	{ onUncertainDelivery, state }: RunSafeguards,
): Promise<PlannedItem[]> {
	const entries = ledger.match(read, url);
	const isUncertain = uncertainItems(context, recipientName, ledger);
	const input = context.getInputData();

	return await mapAndYield(read, (item, itemIndex): PlannedItem => {
		const { message } = item;
		const entry = entries.get(itemIndex);
		const byItem = isUncertain(input[itemIndex].json, message);
		const before = beforeOf(entry, byItem);
		if (message === undefined) {
			const isHeldBack = byItem && onUncertainDelivery === 'doNotResend';
			const rejected: Failed = { delivery: 'rejected', failure: item.rejected };
			return { outcome: endUnread(before, isHeldBack ? rejectedAsUncertain() : rejected) };
		}

		message.before = before;
		if (entry === undefined || !isFinal(entry, onUncertainDelivery)) return { message };
		const outcome = endKnown(entry, message);
		state.count(outcome, message);
		return { message, outcome };
	});
}

const beforeOf = (entry: LedgerEntry | undefined, byItem: boolean): Before | undefined => {
	if (entry) return { by: 'ledger', entry };
	return byItem ? { by: 'item' } : undefined;
};

/**
 * How the items end whose run is rejected as a whole: no row is at fault, and what earlier tries
 * and steps left uncertain stays so.
 */
export function itemsOfRejectedRun(
	context: IExecuteFunctions,
	ledger: Ledger,
	failure: Failure,
): EndedItem[] {
	const input = context.getInputData();
	const entries = ledger.match(input.map(() => ({})));
	const reason = 'listRejected';
	const now: Failed = { delivery: 'notAttempted', failure: { ...failure, reason } };

	return input.map(({ json }, itemIndex) => {
		const byItem = uncertainDetails(json) !== undefined;
		return { outcome: endUnread(beforeOf(entries.get(itemIndex), byItem), now) };
	});
}
