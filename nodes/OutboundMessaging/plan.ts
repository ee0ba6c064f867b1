import type { IExecuteFunctions } from 'n8n-workflow';

import { Asking } from './ask';
import { fromMemory } from './delivery/deliveryOutcomes';
import { yieldIfDue } from './delivery/eventLoop';
import type { Failure } from './delivery/failure';
import type { KeyStore } from './delivery/keyStore';
import { KEPT_KEYS, openKeyStore } from './delivery/keyStore';
import { Memory } from './delivery/memory';
import type { Message, PlannedItem } from './delivery/message';
import type { Failed } from './delivery/outcome';
import { rejected } from './delivery/outcome';
import type { Send } from './delivery/port';
import type { Pace } from './delivery/rateLimiter';
import { RunRejected } from './delivery/runRejected';
import { operationNamed } from './operations';
import type { Settings } from './parameters/options';
import { options, readSettings } from './parameters/options';
import { readMessages } from './parameters/readMessages';
import type { RunSafeguards } from './parameters/safeguards';
import {
	readRecipients,
	readSafeguards,
	safeguards as safeguardOptions,
} from './parameters/safeguards';
import { requireSameForEveryItem } from './parameters/sameForEveryItem';
import type { AllowedHours } from './safeguards/allowedHours';
import { applySafeguards } from './safeguards/applySafeguards';
import type { ExecutionState } from './safeguards/executionState';
import { executionStateOf } from './safeguards/executionState';
import { connect, readRunCredential } from './service/credential';
import { serviceSender } from './service/send';
import type { Question } from './waitForResponse/question';

/** Everything that a run needs before it sends the first message. */
export interface Plan {
	settings: Settings;
	safeguards: RunSafeguards;
	/** What the safeguards count over the execution. */
	state: ExecutionState;
	/** The memory of the run; an empty one in a test run. */
	memory: Memory;
	/** When each item may be sent; undefined for any time. */
	allowedHours: Array<AllowedHours | undefined>;
	/** In input order. */
	items: PlannedItem[];
	/** Those of the items that are about to be sent. */
	messages: Message[];
	/** Why items can't become messages, by item index. */
	rejected: Map<number, Failure>;
	send: Send;
	pace: Pace;
	/** Missing when no message has a key. */
	keyStore?: KeyStore;
	/** Missing for an operation that waits for no answer; no question when it can't be read. */
	asking?: { person: Asking; question?: Question };
	/** Logs what went wrong without changing the outcome of a message. */
	onProblem(problem: string): void;
}

/** What's different in a run that is one call of an AI agent's tool. */
interface AsTool {
	id: string;
	/** @returns a sender that ends within the time of the call */
	limitSend(timeout: number, senderWith: (timeout: number) => Send): Send;
}

/**
 * Reads and checks everything; sends nothing.
 * @param call as a tool of an AI agent
 * @throws RunRejected, or an error of n8n's own, when the run is rejected as a whole
 */
export async function planRun(
	context: IExecuteFunctions,
	runMemory: Memory,
	isCanceled: () => boolean,
	call?: AsTool,
): Promise<Plan> {
	await requireSameForEveryItem(context, { options, safeguards: safeguardOptions });
	const settings = readSettings(context);
	const sendAs = context.getNodeParameter('sendAs', 0, 'text');
	const operation = operationNamed(context.getNodeParameter('operation', 0), sendAs);
	if (operation === undefined) throw new RunRejected(UNKNOWN_OPERATION);
	const credential = await readRunCredential(context);
	const connection = connect(credential);
	const url = connection.baseUrl + operation.path;
	const senderWith = (timeout: number) => serviceSender(context, credential, connection, timeout);
	const asking = operation.asks ? new Asking(context, connection.baseUrl) : undefined;

	const values = readSafeguards(context);
	const { resendUncertain } = values;
	const rules = { ...settings, resendUncertain, isToolCall: call !== undefined };
	const read = await readMessages(context, operation, url, rules);
	const countries = new Set(read.flatMap(({ defaultCountry }) => defaultCountry ?? []));
	const { recipientField } = operation;
	const recipients = await readRecipients(context, recipientField, [...countries]);
	const safeguards: RunSafeguards = { ...values, ...recipients };
	const isTest = safeguards.testRecipient !== undefined;
	// A test run leaves no trace: the messages that it sends aren't those of its items.
	const memory = isTest ? new Memory({}, 0, '') : runMemory;

	const rejections = new Map<number, Failure>();
	const readItems = read.map((item, itemIndex): PlannedItem => {
		if ('message' in item) return { message: item.message };
		// What an earlier try sent stays sent, even if the item can't be read now.
		const outcome = fromMemory(memory.ofItem(itemIndex, url));
		if (outcome) return { outcome };
		rejections.set(itemIndex, item.refused);
		return { outcome: rejected(item.refused) };
	});
	const all = readItems.flatMap((item) => ('message' in item ? [item.message] : []));
	await memory.countEqual(all);
	const settled = new Set<Message>();
	for (const message of all) {
		const known = memory.get(message);
		const isSettled = known && (known.delivery === 'accepted' || !safeguards.resendUncertain);
		if (isSettled) settled.add(message);
		await yieldIfDue();
	}
	const state = executionStateOf(context, { callId: call?.id, isDryRun: safeguards.dryRun });
	const earlierOutcome = (message: Message) => fromMemory(memory.get(message));
	const allowedHours = read.map((item) => ('message' in item ? item.allowedHours : undefined));
	const items = await applySafeguards(readItems, {
		safeguards,
		state,
		isSettled: (message) => settled.has(message),
		earlierOutcome,
		recipientField,
		allowedHours,
		now: Date.now(),
	});
	for (const [itemIndex, item] of items.entries()) {
		// One that's outside its hours keeps a list from being sent, too.
		const isRejected =
			'outcome' in item && ['rejected', 'notAttempted'].includes(item.outcome.delivery);
		if (isRejected) rejections.set(itemIndex, (item.outcome as Failed).failure);
	}
	// A dry run shows what a retry would do: what an earlier try sent comes out as it did then.
	if (safeguards.dryRun) {
		for (const [itemIndex, item] of items.entries()) {
			const outcome =
				'message' in item && settled.has(item.message) && earlierOutcome(item.message);
			if (outcome) items[itemIndex] = { outcome };
		}
	}
	const send = call ? call.limitSend(settings.timeout, senderWith) : senderWith(settings.timeout);
	const messages = items.flatMap((item) => ('message' in item ? [item.message] : []));
	const toSend = messages.filter((message) => !settled.has(message));
	return {
		settings,
		safeguards,
		state,
		memory,
		allowedHours,
		items,
		messages,
		rejected: rejections,
		pace: (context.getContext('node').pace ??= {}) as Pace,
		send: asking?.sender(send) ?? send,
		asking: asking && {
			person: asking,
			question: 'message' in read[0] ? read[0].question : undefined,
		},
		keyStore: safeguards.dryRun
			? undefined
			: await keyStoreFor(context, toSend, memory, settings.timeout, isCanceled),
		onProblem: (problem) => context.logger.warn(`${context.getNode().name}: ${problem}`),
	};
}

/** Undefined when no message has a key, neither one of the user's nor one of a retry. */
async function keyStoreFor(
	context: IExecuteFunctions,
	messages: Message[],
	memory: Memory,
	timeout: number,
	isCanceled: () => boolean,
): Promise<KeyStore | undefined> {
	const sendOnceKeys = messages.filter(({ sendOnceKey }) => sendOnceKey !== undefined).length;
	const retryKeys = messages.filter((message) => memory.retryKey(message) !== undefined).length;
	if (sendOnceKeys + retryKeys === 0) return undefined;
	if (sendOnceKeys === 0 && retryKeys > KEPT_KEYS)
		throw new RunRejected(tooManyForRetry(retryKeys));
	const keyStore = openKeyStore(context, sendOnceKeys || retryKeys, timeout);
	await keyStore.prepare(isCanceled);
	return keyStore;
}

const tooManyForRetry = (count: number): Failure => ({
	title: `This retry has ${count} messages, more than the ${KEPT_KEYS} that one retry can keep from being sent twice`,
	description: "Run the workflow again with only the items that weren't accepted",
	n8nCause: { cause: 'configuration-invalid' },
});

const UNKNOWN_OPERATION: Failure = {
	title: "'Operation' has a value that this node doesn't know",
	description: "Choose one of the operations from the list of 'Operation'",
	n8nCause: { cause: 'configuration-invalid' },
};
