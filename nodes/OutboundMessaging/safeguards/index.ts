import type { IExecuteFunctions } from 'n8n-workflow';

import { mapAndYield } from '../common/eventLoop';
import { endOf } from '../delivery/beforeAndNow';
import {
	type Message,
	type PlannedItem,
	isToSend,
	messagesToSend,
	ownMessage,
} from '../delivery/message';
import { collection } from '../parameters/field';
import { type Parameters, addedNames, rawParameter } from '../parameters/parameters';
import { allowedHours } from './allowedHours';
import { doNotContact } from './doNotContact';
import { dryRun, dryRunOf, simulate } from './dryRun';
import { ExecutionState } from './executionState';
import { maxMessages, requireWithinLimit, waitsForPlace } from './maxMessages';
import { firstOfEach, repeatedRecipients } from './repeatedRecipients';
import type { Judging, Moment, Safeguard } from './safeguard';
import { requireSameContentForSameKey, sendOnceKey } from './sendOnceKey';
import { countOutcomes, stopAfterFailures } from './stopAfterFailures';
import { sendAsTest, testRecipient } from './testRecipient';
import { onUncertainDelivery } from './uncertainDelivery';

/**
 * All safeguards; those that judge messages do so in this order. A new one is a file like theirs,
 * and an entry here; one that rejects a whole list is also asked in judge(). Each one acts with the
 * value that the editor stores when it's added: one that does nothing lets the whole list out.
 */
export const safeguards = {
	onUncertainDelivery,
	doNotContact,
	allowedHours,
	repeatedRecipients,
	testRecipient,
	maxMessages,
	dryRun,
	sendOnceKey,
	stopAfterFailures,
};
const dryRunLabel = dryRun.displayName;
const inOrder = Object.entries<Safeguard<never>>(safeguards);

export const safeguardsProperty = collection(
	'Safeguards',
	'Add safeguard',
	'Who gets a message, and when. A safeguard acts as soon as you add it. Except for Allowed ' +
		'Hours and Send Once Key, each has the same value for every item.',
	safeguards,
);

/** The safeguards that are added, and not turned off. */
const activeSafeguards = (context: IExecuteFunctions) =>
	inOrder.flatMap(([name, safeguard]) => {
		const { off } = safeguard;
		return (rawParameter(context, `safeguards.${name}`) ?? off) === off ? [] : [safeguard];
	});

export type RunSafeguards = Awaited<ReturnType<typeof readSafeguards>>;

/**
 * Reads the safeguards of a run, and begins to count it.
 * @param callId of an agent's call
 * @throws RunRejected
 */
export async function readSafeguards(parameters: Parameters, callId: string | undefined) {
	const { context, recipientField } = parameters;
	const values = await parameters.valuesOfRun('safeguards', safeguards);
	const active = activeSafeguards(context);
	const others = active.filter((each) => each.displayName !== dryRunLabel);
	const otherSafeguards = others.map(({ displayName }) => displayName);
	const shownOnly = await dryRunOf(context, values.dryRun);
	const run = callId ?? Number(context.getWorkflowDataProxy(0).$runIndex);
	const isTestRun = values.testRecipient !== '';
	const countsIfSent = isTestRun ? 'testRun' : 'sending';
	const countsOf = shownOnly ? 'dryRun' : countsIfSent;
	const keepsRecipients = active.some((each) => each.keepsRecipients);
	const state = new ExecutionState(context, run, countsOf, keepsRecipients);
	const claimsKeys = addedNames(context, 'safeguards').has('sendOnceKey') && !isTestRun;
	const judging: Judging = { state, claimsKeys, recipientField };

	/**
	 * How a message ends by the first safeguard that doesn't let it through. What
	 * decides, in this order:
	 *
	 * planned     If Delivery Is Uncertain, Do Not Contact, Allowed Hours, Repeated Recipients
	 *             (Reject)
	 * whole list  Send First, for what counts; Test Recipient; Max Messages; two messages with one
	 *             key; Dry Run, which shows the next two: see judge()
	 * due         Allowed Hours, Repeated Recipients (Send First)
	 * in between  Send Once Key, in delivery/keys/
	 * claimed     Allowed Hours; with keys, Max Messages
	 * ended       Stop After Failures
	 *
	 * With keys, Max Messages judges only when a message is claimed.
	 */
	const endedBy = (message: Message, moment: Moment) => {
		const all: Record<string, unknown> = { ...values, ...message.safeguards };
		for (const [name, safeguard] of inOrder) {
			const value = all[name];
			if (value === undefined || value === safeguard.off) continue;
			const judge = safeguard.judges?.[moment];
			const outcome = judge?.(ownMessage(message), value as never, judging);
			if (outcome) return outcome;
		}
		return undefined;
	};

	return {
		state,
		dryRun: shownOnly && { ...shownOnly, otherSafeguards },
		isTestRun,
		onUncertainDelivery: values.onUncertainDelivery,

		/**
		 * Judges what would be sent.
		 * @returns each item as planned, or how it ends instead
		 * @throws RunRejected
		 */
		async judge(items: PlannedItem[]): Promise<PlannedItem[]> {
			const judged = await mapAndYield(items, (item): PlannedItem => {
				if (!isToSend(item)) return item;
				const { message } = item;
				const outcome = endedBy(message, 'planned');
				if (outcome === undefined) return item;
				// What's rejected is a mistake in the list, and stays rejected.
				const isMistake = outcome.delivery === 'rejected';
				return { message, outcome: isMistake ? outcome : endOf(message.before, outcome) };
			});
			const toSend = messagesToSend(judged);
			const isFirstOnly = values.repeatedRecipients === 'sendFirst';
			// Those that Send First skips when they're due don't count.
			const counted = new Set(isFirstOnly ? firstOfEach(toSend, state) : toSend);

			const planned = isTestRun
				? sendAsTest(judged, counted, values.testRecipient, recipientField, state)
				: judged;

			const isCounted = (message: Message) => counted.has(ownMessage(message));
			const messages = messagesToSend(planned).filter(isCounted);
			// With keys, each message is judged once it's claimed.
			if (!claimsKeys) requireWithinLimit(messages, values.maxMessages, state);

			// With Send First, a customer gets one message: two that share a key aren't both sent. These
			// are the items' own: those of a test run have no keys.
			if (!isFirstOnly) await requireSameContentForSameKey(toSend);
			return shownOnly ? await simulate(planned, endedBy, state) : planned;
		},

		/**
		 * How they take part in a delivery.
		 * @param continues whether a failure doesn't end it anyway
		 */
		whileSending(continues: boolean) {
			const limit = continues ? values.stopAfterFailures : 0;
			const isToolCall = callId !== undefined;
			const counting = countOutcomes(state, context.getExecutionId(), limit, isToolCall);
			return {
				...counting,
				endedBy,
				mustWait: (message: Message) => waitsForPlace(message, values.maxMessages, judging),
				onUncertainDelivery: values.onUncertainDelivery,
			};
		},
	};
}
