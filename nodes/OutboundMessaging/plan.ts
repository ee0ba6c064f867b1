import type { IExecuteFunctions } from 'n8n-workflow';

import { type AnswerLink, answerLink } from './waitForResponse/ask';
import type { Delivery } from './delivery/delivery';
import { alreadySent, notReadable, settledBefore } from './delivery/deliveryOutcomes';
import { mapInTurns } from './common/eventLoop';
import { nodeState } from './common/nodeState';
import { type KeyStore, KEPT_KEYS, openKeyStore } from './delivery/keys/keyStore';
import { type Memory, noMemory } from './delivery/memory';
import { type PlannedItem, messagesOf, ownKey, toSend } from './delivery/message';
import type { Send } from './delivery/outcome';
import { misconfigured } from './delivery/runRejected';
import { operationNamed } from './operations';
import type { Operation } from './operations/operation';
import { progressLog } from './output/progress';
import { waitEnd } from './parameters/limitWaitTime';
import { requireSameForEveryItem } from './parameters/option';
import { type Settings, options, readSettings } from './parameters/options';
import { type ReadItem, readMessages } from './parameters/readMessages';
import { readRecipients, readSafeguards } from './parameters/safeguards';
import { requireSameContentForSameKey } from './parameters/sendOnceKey';
import { safeguardFields } from './safeguards';
import { applySafeguards, judgeAgain } from './safeguards/applySafeguards';
import { type ExecutionState, executionStateOf } from './safeguards/executionState';
import { countingWhileSending } from './safeguards/stopAfterFailures';
import { readRunCredential } from './service/credential';
import { serviceSender } from './service/http';
import { twoLines } from './common/twoLines';
import type { Question } from './waitForResponse/question';

/** What a run will send, and by which rules. */
export interface Plan {
	/** In input order. */
	items: PlannedItem[];
	/** Whether nothing shall be sent: the items only show what would be. */
	isDryRun: boolean;
	/** How it's sent. */
	delivery: Delivery;
	/** Missing for an operation that waits for no answer; no question when it can't be read. */
	asking?: { link: AnswerLink; question?: Question };
}

/** The run that is planned. */
interface Run {
	memory: Memory;
	/** Whether a message that fails is an item, and not the end of the run. */
	continues: boolean;
	isCanceled(): boolean;
	/** A call of an AI agent's tool: its ID, and how it sends within its time. */
	call?: { id: string; limitSend(timeout: number, senderWith: (timeout: number) => Send): Send };
}

/**
 * Reads and checks everything; sends nothing.
 * @throws RunRejected, or an error of n8n's own, when the run is rejected as a whole
 */
export async function planRun(context: IExecuteFunctions, run: Run): Promise<Plan> {
	await requireSameForEveryItem(context, { options, safeguards: safeguardFields });
	const settings = readSettings(context);
	const operation = chosenOperation(context);
	const { recipientField } = operation;
	const { credential, connection } = await readRunCredential(context);
	const url = connection.baseUrl + operation.path;
	const senderWith = (timeout: number) => serviceSender(context, credential, connection, timeout);
	const send = run.call?.limitSend(settings.timeout, senderWith) ?? senderWith(settings.timeout);
	const link = operation.asks
		? answerLink(context, connection.baseUrl, () => waitEnd(context))
		: undefined;

	const values = readSafeguards(context);
	const { resendUncertain, stopAfterFailures, dryRun: isDryRun } = values;
	const how = {
		...settings,
		isToolCall: run.call !== undefined,
		resendUncertain,
		link: link?.url,
	};
	const read = await readMessages(context, operation, url, how);
	// The safeguards have phone numbers without a country code, as the items have.
	const countries = new Set(read.flatMap(({ defaultCountry }) => defaultCountry ?? []));
	const recipients = await readRecipients(context, recipientField, [...countries]);
	// A test run leaves no trace: the messages that it sends aren't those of its items.
	const memory = recipients.testRecipient === undefined ? run.memory : noMemory();
	await memory.countEqual(messagesOf(read));
	const planned = await afterEarlierTries(read, url, { memory, resendUncertain });
	const state = executionStateOf(context, values, run.call?.id);
	const judging = { state, memory, recipientField };
	const items = await applySafeguards(planned, { ...values, ...recipients }, judging);
	await requireSameContentForSameKey(messagesOf(items));
	if (toSend(items).length > 0) await link?.requireOnlyAsker();
	const limit = run.continues ? stopAfterFailures : 0;
	const guards = countingWhileSending({ ...settings, limit }, state);
	const keyStore = isDryRun ? undefined : await keyStoreFor(context, items, memory, settings, run);
	const node = context.getNode();
	const logProgress = progressLog(context.logger, node.name, messagesOf(items).length);
	return {
		items: isDryRun ? await countedDryRun(items, state) : items,
		isDryRun,
		delivery: {
			...settings,
			...guards,
			beforeRequest: judgeAgain,
			memory,
			resendUncertain,
			send: link?.sender(send) ?? send,
			keyStore,
			pace: (nodeState(context).pace ??= {}),
			stopOnFailure: !run.continues,
			isCanceled: run.isCanceled,
			onOutcome: (outcome, message) => {
				logProgress(outcome);
				return guards.onOutcome(outcome, message);
			},
			onProblem: (problem) => context.logger.warn(`${node.name}: ${problem}`),
		},
		asking: link && { link, question: 'message' in read[0] ? read[0].question : undefined },
	};
}

function chosenOperation(context: IExecuteFunctions): Operation {
	const sendAs = context.getNodeParameter('sendAs', 0, 'text');
	const operation = operationNamed(context.getNodeParameter('operation', 0), sendAs);
	if (operation === undefined) {
		throw misconfigured(twoLines`'Operation' has a value that this node doesn't know
			Choose one of the operations from the list of 'Operation'`);
	}
	return operation;
}

/** What an earlier try sent stays sent, even if its item can't be read now. */
async function afterEarlierTries(
	read: ReadItem[],
	url: string,
	known: Pick<Delivery, 'memory' | 'resendUncertain'>,
): Promise<PlannedItem[]> {
	return await mapInTurns(read, (item, itemIndex) =>
		'message' in item
			? { message: item.message, settled: settledBefore(item.message, known) }
			: { outcome: notReadable(item.refused, { ...known, itemIndex, url }) },
	);
}

/**
 * A dry run shows what a retry would do: what an earlier try sent is shown as it ended then. What would be sent is counted,
 * so that the runs after it show what they would do then.
 */
async function countedDryRun(items: PlannedItem[], state: ExecutionState): Promise<PlannedItem[]> {
	const keys = new Set<string | undefined>();
	return await mapInTurns(items, (item) => {
		if ('outcome' in item) return item;
		const { message, settled } = item;
		if (settled) return { outcome: settled };
		const key = ownKey(message);
		if (keys.has(key)) return { outcome: alreadySent(message) };
		if (key !== undefined) keys.add(key);
		state.count({ delivery: 'accepted', record: {} }, message);
		return item;
	});
}

/** Undefined when no message that's about to be sent has a key, neither one of the user's nor one of a retry. */
async function keyStoreFor(
	context: IExecuteFunctions,
	items: PlannedItem[],
	memory: Memory,
	{ timeout }: Settings,
	{ isCanceled }: Run,
): Promise<KeyStore | undefined> {
	// Either all messages have a key, or none has.
	const { length, 0: first } = toSend(items);
	const hasOwnKeys = first?.sendOnceKey !== undefined;
	if (!hasOwnKeys && (first === undefined || !memory.retryKey(first))) return undefined;
	if (!hasOwnKeys && length > KEPT_KEYS) {
		throw misconfigured(twoLines`This retry has ${length} messages, more than the ${KEPT_KEYS} that one retry can keep from being sent twice
			Run the workflow again with only the items that weren't accepted`);
	}
	const keyStore = openKeyStore(context, length, timeout);
	await keyStore.prepare(isCanceled);
	return keyStore;
}
