import { yieldIfDue } from '../delivery/eventLoop';
import type { Failure } from '../delivery/failure';
import type { Message, PlannedItem } from '../delivery/message';
import { sentTo } from '../delivery/message';
import type { Failed, Outcome, Skipped } from '../delivery/outcome';
import { RunRejected } from '../delivery/runRejected';
import { sameCustomer } from '../validation/sameCustomer';
import type { AllowedHours } from './allowedHours';
import { formatOnClock, isAllowed, nextBegin } from './allowedHours';
import type { ExecutionState, FirstItem } from './executionState';

/** So many messages of an execution go to the test recipient. */
const TEST_MESSAGES = 3;

/** Who gets a message, and who doesn't, as the user set it for the run. */
export interface Safeguards {
	/** Empty when there's no list. */
	doNotContact: Set<string>;
	repeatedRecipients: 'sendAll' | 'sendFirst' | 'reject';
	/** 0 for no limit. */
	maxMessages: number;
	/** Undefined when messages go to their own recipients. */
	testRecipient?: string;
}

/** What the safeguards need to know of the run. */
export interface SafeguardRun {
	safeguards: Safeguards;
	state: ExecutionState;
	/** Whether an earlier try sent a message, and this one doesn't send it again. */
	isSettled(message: Message): boolean;
	/** How an earlier try left a message; undefined when it didn't send it. */
	earlierOutcome(message: Message): Outcome | undefined;
	/** The parameter that says who gets a message, and its field in the request body. */
	recipientField: { label: string; body: string };
	/** When each item may be sent; undefined for any time. */
	allowedHours: Array<AllowedHours | undefined>;
	/** Milliseconds since 1970. */
	now: number;
}

/**
 * Applies the safeguards to what would be sent, in a fixed order. What an earlier try sent stays as it is.
 * @returns one planned item per item; each message that must not be sent is replaced by its outcome
 * @throws RunRejected when the run has more messages than 'Max Messages' allows
 */
export async function applySafeguards(
	items: PlannedItem[],
	run: SafeguardRun,
): Promise<PlannedItem[]> {
	const firstUses = new Map<string, number>();
	for (const item of items) {
		await yieldIfDue();
		if (!('message' in item) || !run.isSettled(item.message)) continue;
		firstUses.set(item.message.recipient, item.message.itemIndex);
	}
	const check = (item: PlannedItem, itemIndex: number): PlannedItem => {
		if ('outcome' in item || run.isSettled(item.message)) return item;
		const outcome =
			doNotContact(item.message, run) ??
			repeatedRecipient(item.message, run, firstUses) ??
			outsideAllowedHours(run.allowedHours[itemIndex], run.now);
		if (outcome) return { outcome: run.earlierOutcome(item.message) ?? outcome };
		firstUses.set(item.message.recipient, firstUses.get(item.message.recipient) ?? itemIndex);
		return item;
	};
	const checked: PlannedItem[] = [];
	for (const [itemIndex, item] of items.entries()) {
		checked.push(check(item, itemIndex));
		await yieldIfDue();
	}
	const { testRecipient } = run.safeguards;
	const toSend =
		testRecipient === undefined ? checked : toTestRecipient(checked, run, testRecipient);
	checkMaxMessages(toSend, run);
	return toSend;
}

function doNotContact(message: Message, { safeguards }: SafeguardRun): Skipped | undefined {
	if (!safeguards.doNotContact.has(message.recipient)) return undefined;
	const details = { recipient: sentTo(message) };
	return { delivery: 'skipped', reason: 'doNotContact', details };
}

function repeatedRecipient(
	message: Message,
	{ safeguards, state, recipientField }: SafeguardRun,
	firstUses: Map<string, number>,
): Skipped | Failed | undefined {
	const { itemIndex, recipient, isResent } = message;
	if (safeguards.repeatedRecipients === 'sendAll' || isResent) return undefined;
	const firstItemIndex = firstUses.get(recipient);
	const first: FirstItem | undefined =
		firstItemIndex === undefined ? state.earlierItemFor(recipient, itemIndex) : { firstItemIndex };
	if (first === undefined) return undefined;
	if (safeguards.repeatedRecipients === 'sendFirst') {
		const details = { recipient: sentTo(message), ...first };
		return { delivery: 'skipped', reason: 'repeatedRecipient', details };
	}
	return {
		delivery: 'rejected',
		failure: {
			title: `'${recipientField.label}' is ${sentTo(message)}, the same as in ${firstItemName(first)}`,
			description:
				"Remove the repeated recipient from the list, or set 'Repeated Recipients' to 'Send First' or 'Send All'",
			reason: 'repeatedRecipient',
			n8nCause: { cause: 'configuration-invalid' },
		},
	};
}

function firstItemName({ firstItemIndex, firstRunIndex }: FirstItem): string {
	return firstRunIndex === undefined
		? `item ${firstItemIndex} (n8n counts items from 0)`
		: `item ${firstItemIndex} of run ${firstRunIndex + 1} (n8n counts items from 0, and runs from 1)`;
}

/** Also asked before each request: a run can last longer than the allowed hours. */
export function outsideAllowedHours(
	hours: AllowedHours | undefined,
	now: number,
): Failed | undefined {
	if (hours === undefined || isAllowed(hours, now)) return undefined;
	const begin = nextBegin(hours, now);
	const shown = formatOnClock(begin, hours.timezone);
	return {
		delivery: 'notAttempted',
		failure: {
			title: `This message wasn't sent: it's outside 'Allowed Hours', which begin again on ${shown}`,
			description: "Run this item again then, or change 'Allowed Hours'",
			reason: 'outsideAllowedHours',
			sendAfter: new Date(begin).toISOString(),
		},
	};
}

function checkMaxMessages(items: PlannedItem[], run: SafeguardRun): void {
	const { maxMessages } = run.safeguards;
	if (maxMessages === 0) return;
	const planned = items.flatMap((item) =>
		'message' in item && !run.isSettled(item.message) ? [item.message] : [],
	);
	const { sent } = run.state;
	if (planned.length > 0 && sent + planned.length > maxMessages) {
		throw new RunRejected(tooMany(planned, sent, maxMessages));
	}
}

function tooMany(planned: Message[], sent: number, maxMessages: number): Failure {
	const hasKeys = planned.some(({ sendOnceKey }) => sendOnceKey !== undefined);
	const count = `${hasKeys ? 'up to ' : ''}${planned.length}`;
	const before = sent === 0 ? '' : ` after ${sent} that were sent earlier in this execution`;
	return {
		title: `'Max Messages' is ${maxMessages}, and this run would send ${count}${before}`,
		description: "Check that the list is the one you mean. To send all of it, raise 'Max Messages'",
		reason: 'maxMessages',
		n8nCause: { cause: 'configuration-invalid' },
	};
}

function toTestRecipient(
	items: PlannedItem[],
	{ state, recipientField }: SafeguardRun,
	testRecipient: string,
): PlannedItem[] {
	let left = TEST_MESSAGES - state.testMessages;
	return items.map((item): PlannedItem => {
		if ('outcome' in item) return item;
		if (left > 0) {
			left--;
			return { message: withRecipient(item.message, recipientField.body, testRecipient) };
		}
		const details = { recipient: sentTo(item.message), testRecipient };
		return { outcome: { delivery: 'skipped', reason: 'testRun', details } };
	});
}

/** No key: it belongs to the message to the item's own recipient. */
function withRecipient(message: Message, field: string, testRecipient: string): Message {
	const { url, body } = message.request;
	const request = { url, body: { ...body, [field]: testRecipient } };
	const recipient = sameCustomer(testRecipient);
	return { ...message, recipient, tested: message, request, sendOnceKey: undefined };
}
