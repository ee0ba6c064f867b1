import { mapInTurns } from '../common/eventLoop';
import { fromMemory } from '../delivery/deliveryOutcomes';
import type { Memory } from '../delivery/memory';
import type { AllowedHours, Message, PlannedItem } from '../delivery/message';
import { sentTo, skipped, toSend } from '../delivery/message';
import { type Failed, type Skipped, failed } from '../delivery/outcome';
import { misconfigured } from '../delivery/runRejected';
import { twoLines } from '../common/twoLines';
import { sameCustomer } from '../validation/sameCustomer';
import { formatOnClock, isAllowed, nextBegin } from './allowedHours';
import type { ExecutionState, FirstItem } from './executionState';

/** So many messages of an execution go to the test recipient. */
const TEST_MESSAGES = 3;

/** Who gets a message, and who doesn't, as the user set it for the run, and what that's judged by. */
export interface Safeguards {
	/** Empty when there's no list. */
	doNotContact: Set<string>;
	/** 0 for no limit. */
	maxMessages: number;
	repeatedRecipients: 'sendAll' | 'sendFirst' | 'reject';
	/** Undefined when messages go to their own recipients. */
	testRecipient?: string;
	state: ExecutionState;
	memory: Memory;
	/** The parameter that says who gets a message, and its field in the request body. */
	recipientField: { label: string; body: string };
}

/**
 * Applies the safeguards to what would be sent, in a fixed order. What an earlier try sent stays as it is.
 * @returns one planned item per item; each message that must not be sent is replaced by its outcome
 * @throws RunRejected when the run has more messages than 'Max Messages' allows
 */
export async function applySafeguards(
	items: PlannedItem[],
	safeguards: Safeguards,
): Promise<PlannedItem[]> {
	const { state, memory } = safeguards;
	const firstUses = new Map<string, number>();
	for (const item of items) {
		if (!('message' in item) || item.settled === undefined) continue;
		firstUses.set(item.message.recipient, item.message.itemIndex);
	}
	const check = (item: PlannedItem): PlannedItem => {
		if ('outcome' in item || item.settled) return item;
		const { message } = item;
		const outcome =
			doNotContact(message, safeguards) ??
			repeatedRecipient(message, safeguards, firstUses) ??
			outsideAllowedHours(message.allowedHours);
		if (outcome) return { outcome: fromMemory(memory.get(message), message) ?? outcome };
		firstUses.set(message.recipient, firstUses.get(message.recipient) ?? message.itemIndex);
		return item;
	};
	const allowed = toTestRecipient(await mapInTurns(items, check), safeguards);
	checkMaxMessages(toSend(allowed), safeguards.maxMessages, state.counts.sent);
	return allowed;
}

function doNotContact(message: Message, { doNotContact: list }: Safeguards): Skipped | undefined {
	return list.has(message.recipient) ? skipped(message, 'doNotContact') : undefined;
}

function repeatedRecipient(
	message: Message,
	{ repeatedRecipients, state, recipientField }: Safeguards,
	firstUses: Map<string, number>,
): Skipped | Failed | undefined {
	const { itemIndex, recipient, isResent } = message;
	if (repeatedRecipients === 'sendAll' || isResent) return undefined;
	const firstItemIndex = firstUses.get(recipient);
	const first: FirstItem | undefined =
		firstItemIndex === undefined ? state.earlierItemFor(recipient, itemIndex) : { firstItemIndex };
	if (first === undefined) return undefined;
	if (repeatedRecipients === 'sendFirst') {
		return skipped(message, 'repeatedRecipient', { ...first });
	}
	const text = twoLines`'${recipientField.label}' is ${sentTo(message)}, the same as in ${firstItemName(first)}
		Remove the repeated recipient from the list, or set 'Repeated Recipients' to 'Send First' or 'Send All'`;
	const n8nCause = { cause: 'configuration-invalid' } as const;
	return failed('rejected', text, { reason: 'repeatedRecipient', n8nCause });
}

function firstItemName({ firstItemIndex, firstRunIndex }: FirstItem): string {
	return firstRunIndex === undefined
		? `item ${firstItemIndex} (n8n counts items from 0)`
		: `item ${firstItemIndex} of run ${firstRunIndex + 1} (n8n counts items from 0, and runs from 1)`;
}

/** Also asked before each request: a run can last longer than the allowed hours. */
export function outsideAllowedHours(hours: AllowedHours | undefined): Failed | undefined {
	const now = Date.now();
	if (hours === undefined || isAllowed(hours, now)) return undefined;
	const begin = nextBegin(hours, now);
	const sendAfter = new Date(begin).toISOString();
	const text = twoLines`This message wasn't sent: it's outside 'Allowed Hours', which begin again on ${formatOnClock(begin, hours.timezone)}
		Execute the workflow with only this row then, or change 'Allowed Hours'`;
	return failed('notAttempted', text, { reason: 'outsideAllowedHours', sendAfter });
}

function checkMaxMessages(planned: Message[], maxMessages: number, sent: number): void {
	if (maxMessages === 0 || planned.length === 0 || sent + planned.length <= maxMessages) return;
	// Either all have a key, or none has.
	const [{ sendOnceKey }] = planned;
	const count = `${sendOnceKey === undefined ? '' : 'up to '}${planned.length}`;
	const before = sent === 0 ? '' : ` after ${sent} that were sent earlier in this execution`;
	const text = twoLines`'Max Messages' is ${maxMessages}, and this step would send ${count}${before}
		Check that the list is the one you mean. To send all of it, raise 'Max Messages'`;
	throw misconfigured(text, 'maxMessages');
}

function toTestRecipient(
	items: PlannedItem[],
	{ testRecipient, state, recipientField }: Safeguards,
): PlannedItem[] {
	if (testRecipient === undefined) return items;
	let left = TEST_MESSAGES - state.counts.testMessages;
	return items.map((item): PlannedItem => {
		if ('outcome' in item) return item;
		if (left > 0) {
			left--;
			return { message: withRecipient(item.message, recipientField.body, testRecipient) };
		}
		return { outcome: skipped(item.message, 'testRun', { testRecipient }) };
	});
}

/** No key: it belongs to the message to the item's own recipient. */
function withRecipient(message: Message, field: string, testRecipient: string): Message {
	const { url, body } = message.request;
	const request = { url, body: { ...body, [field]: testRecipient } };
	const recipient = sameCustomer(testRecipient);
	return { ...message, recipient, tested: message, request, sendOnceKey: undefined };
}
