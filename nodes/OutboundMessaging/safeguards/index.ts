import type { IExecuteFunctions } from 'n8n-workflow';

import { mapInTurns } from '../common/eventLoop';
import { type Message, type PlannedItem, isToSend } from '../delivery/message';
import type { Outcome } from '../delivery/outcome';
import type { CheckFacts } from '../fields/field';
import { rawParameter } from '../parameters/parameters';
import { collection, readRunValues } from '../parameters/runValues';
import { allowedHours } from './allowedHours';
import { doNotContact } from './doNotContact';
import { dryRun } from './dryRun';
import { maxMessages } from './maxMessages';
import { repeatedRecipients } from './repeatedRecipients';
import type { Judging, Safeguard } from './safeguard';
import { sendOnceKey } from './sendOnceKey';
import { stopAfterFailures } from './stopAfterFailures';
import { testRecipient } from './testRecipient';
import { onUncertainDelivery } from './uncertainDelivery';

/** Those that judge messages, in this order. A new one is a file like theirs, and an entry here and in the fields. */
const rules: Array<[string, Safeguard<never>]> = Object.entries({
	doNotContact,
	repeatedRecipients,
	allowedHours,
	testRecipient,
	maxMessages,
});

/**
 * What the user sees of all safeguards. Each one acts with the value that the editor stores when it's added: otherwise, it
 * would let a whole list out.
 */
export const safeguardFields = {
	allowedHours: allowedHours.field,
	doNotContact: doNotContact.field,
	dryRun: dryRun.field,
	maxMessages: maxMessages.field,
	onUncertainDelivery: onUncertainDelivery.field,
	repeatedRecipients: repeatedRecipients.field,
	sendOnceKey: sendOnceKey.field,
	stopAfterFailures: stopAfterFailures.field,
	testRecipient: testRecipient.field,
};

export const safeguardsProperty = collection(
	'Safeguards',
	'safeguards',
	'Add safeguard',
	'Who gets a message, and when. A safeguard acts as soon as you add it. Except for Allowed Hours and Send Once Key, each has the same value for every item.',
	safeguardFields,
);

export type SafeguardValues = Awaited<ReturnType<typeof readSafeguards>>;

/** Reads the safeguards that are one value for all items. @throws RunRejected */
export const readSafeguards = async (
	context: IExecuteFunctions,
	facts: Pick<CheckFacts, 'recipient' | 'readings'>,
) => await readRunValues(context, 'safeguards', safeguardFields, facts);

/** Whether a safeguard is set that judges a message by what the node has sent in the whole execution. */
export const countsMessages = (context: IExecuteFunctions): boolean =>
	rules.some(([name, { countsMessages: counts, field }]) => {
		const value = rawParameter(context, `safeguards.${name}`) ?? field.off;
		return counts === true && value !== field.off;
	});

/** A safeguard that can differ between items has its value in the message. */
const valueFor = (name: string, values: object, message: Message) =>
	({ ...values, ...message.safeguards })[name] as never;

/** Applies the safeguards to what would be sent. @returns each item as planned, or how it ends instead. @throws RunRejected */
export async function applySafeguards(
	items: PlannedItem[],
	values: Partial<SafeguardValues>,
	judging: Judging,
): Promise<PlannedItem[]> {
	let judged = items;
	for (const [name, { judge, judgeList }] of rules) {
		if (judge) {
			judged = await mapInTurns(judged, (item) => {
				if (!isToSend(item)) return item;
				const { message, earlier } = item;
				const outcome = judge(message, valueFor(name, values, message), judging);
				return outcome ? { message, outcome: earlier ?? outcome } : item;
			});
		}
		if (judgeList) judged = judgeList(judged, (values as Record<string, never>)[name], judging);
	}
	return judged;
}

/** Judges a message when its turn comes. @returns how it ends instead of being sent */
export function beforeRequest(
	message: Message,
	values: Partial<SafeguardValues>,
	judging: Judging,
	isClaimed: boolean,
): Outcome | undefined {
	for (const [name, rule] of rules) {
		const value = valueFor(name, values, message);
		const outcome = rule.beforeRequest?.(message, value, judging, isClaimed);
		if (outcome) return outcome;
	}
	return undefined;
}
