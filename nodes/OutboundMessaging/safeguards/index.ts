import { mapInTurns } from '../common/eventLoop';
import type { Message, PlannedItem } from '../delivery/message';
import type { Outcome } from '../delivery/outcome';
import { type Field, field, list } from '../fields/field';
import { allowedHours } from './allowedHours';
import { doNotContact } from './doNotContact';
import { dryRun } from './dryRun';
import { maxMessages } from './maxMessages';
import { repeatedRecipients } from './repeatedRecipients';
import type { Judging, Safeguard } from './safeguard';
import { stopAfterFailures } from './stopAfterFailures';
import { testRecipient } from './testRecipient';

/** This and 'Send Once Key' judge no list: for each message, delivery/ asks the memory and the keys whether it was sent before. */
const onUncertainDelivery = {
	field: list(
		'If Delivery Is Uncertain',
		'Whether to resend when the service never confirmed the first try',
		{
			doNotResend: ["Don't Resend", "A retry doesn't send it again, and it may not have arrived"],
			resend: [
				'Resend',
				'Each retry, and each execution at the same time, sends it again: the customer may get it several times',
			],
		},
	),
};
const sendOnceKey = {
	field: field(
		'Send Once Key',
		'What the message is about, e.g. an order. This node sends each customer one message per key, in later executions too, for its newest 20,000 keys.',
		{ placeholder: 'e.g. {{ $json.orderId }}-confirmation', isPerItem: true },
	),
};

/**
 * Every safeguard: a new one is a file like theirs, and an entry here. They judge in this order what earlier tries haven't
 * settled: each message first, then the whole list. Each one acts with the value that the editor stores when it's added:
 * otherwise, it would let a whole list out.
 */
export const safeguards = {
	doNotContact,
	repeatedRecipients,
	allowedHours,
	testRecipient,
	maxMessages,
	stopAfterFailures,
	onUncertainDelivery,
	sendOnceKey,
	dryRun,
};

type Fields = { [K in keyof typeof safeguards]: (typeof safeguards)[K]['field'] };
export const safeguardFields = Object.fromEntries(
	Object.entries(safeguards).map(([name, { field }]): [string, Field] => [name, field]),
) as unknown as Fields;

const rules = Object.entries(safeguards) as Array<[string, Safeguard<unknown>]>;

/** Applies the safeguards to what would be sent. @returns each item as planned, or how it ends instead. @throws RunRejected */
export async function applySafeguards(
	items: PlannedItem[],
	values: Record<string, unknown>,
	given: Omit<Judging, 'firstItems'>,
): Promise<PlannedItem[]> {
	const firstItems = new Map<string, number>();
	const judging: Judging = { ...given, firstItems };
	for (const item of items) {
		if (!('message' in item && item.isSettled)) continue;
		firstItems.set(item.message.recipient, item.message.itemIndex);
	}
	const judged = await mapInTurns(items, (item): PlannedItem => {
		if ('outcome' in item || item.isSettled) return item;
		const { message, earlier } = item;
		for (const [name, { before }] of rules) {
			const outcome = before?.(message, values[name], judging);
			if (outcome) return { outcome: earlier ?? outcome };
		}
		firstItems.set(message.recipient, firstItems.get(message.recipient) ?? message.itemIndex);
		return item;
	});
	return rules.reduce(
		(list, [name, { wholeList }]) => wholeList?.(list, values[name], judging) ?? list,
		judged,
	);
}

/** Applies those that judge again when a message's turn comes. @returns how it ends instead of being sent */
export function judgeAgain(message: Message, values: Record<string, unknown>): Outcome | undefined {
	for (const [name, { whenItsTurn }] of rules) {
		const outcome = whenItsTurn?.(message, values[name]);
		if (outcome) return outcome;
	}
	return undefined;
}
