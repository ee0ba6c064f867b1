import type { IExecuteFunctions } from 'n8n-workflow';

import { mapInTurns } from '../common/eventLoop';
import { type Message, type PlannedItem, isToSend, messagesToSend } from '../delivery/message';
import type { Delivery } from '../delivery/sending';
import { collection } from '../fields/field';
import { type Parameters, addedNames, rawParameter } from '../parameters/parameters';
import { allowedHours } from './allowedHours';
import { doNotContact } from './doNotContact';
import { dryRun, dryRunOf, simulate } from './dryRun';
import { ExecutionState } from './executionState';
import { maxMessages } from './maxMessages';
import { repeatedRecipients } from './repeatedRecipients';
import type { Judging, ListSafeguard, Safeguard } from './safeguard';
import { requireSameContentForSameKey, sendOnceKey } from './sendOnceKey';
import { countingWhileSending, stopAfterFailures } from './stopAfterFailures';
import { testRecipient } from './testRecipient';
import { onUncertainDelivery } from './uncertainDelivery';

/**
 * All safeguards, in the order in which they judge. A new one is a file like theirs, and an entry here. Each one acts with
 * the value that the editor stores when it's added: otherwise, it would let a whole list out.
 */
const safeguards = {
	doNotContact,
	repeatedRecipients,
	allowedHours,
	testRecipient,
	maxMessages,
	dryRun,
	onUncertainDelivery,
	sendOnceKey,
	stopAfterFailures,
};
const inOrder = Object.entries<Safeguard<never> | ListSafeguard<never>>(safeguards);

type SafeguardFields = { [K in keyof typeof safeguards]: (typeof safeguards)[K]['field'] };
/** What the user sees of them. */
export const safeguardFields = Object.fromEntries(
	inOrder.map(([name, { field }]) => [name, field]),
) as SafeguardFields;

export const safeguardsProperty = collection(
	'Safeguards',
	'Add safeguard',
	'Who gets a message, and when. A safeguard acts as soon as you add it. Except for Allowed Hours and Send Once Key, each has the same value for every item.',
	safeguardFields,
);

/** What the active safeguards judge by: how many messages the whole execution has sent, and who got them. */
export function judgedBy(context: IExecuteFunctions): Set<Safeguard<never>['judgesBy']> {
	const judging = inOrder.filter(([name, { judgesBy, field }]) => {
		return judgesBy && (rawParameter(context, `safeguards.${name}`) ?? field.off) !== field.off;
	});
	return new Set(judging.map(([, { judgesBy }]) => judgesBy));
}

export type RunSafeguards = Awaited<ReturnType<typeof readSafeguards>>;

/** Reads the safeguards of a run, and begins to count it. @param callId of an agent's call. @throws RunRejected */
export async function readSafeguards(parameters: Parameters, callId: string | undefined) {
	const { context, recipientField } = parameters;
	const values = await parameters.valuesOfRun('safeguards', safeguardFields);
	const { isDryRun, dryRunWarning } = await dryRunOf(context, values.dryRun);
	const run = callId ?? Number(context.getWorkflowDataProxy(0).$runIndex);
	const part = isDryRun ? 'dryRunCounts' : 'counts';
	const keepsRecipients = judgedBy(context).has('recipients');
	const state = new ExecutionState(context, run, part, keepsRecipients);
	const { onUncertainDelivery } = values;
	const isTestRun = values.testRecipient !== undefined;
	const hasKeys = addedNames(context, 'safeguards').has('sendOnceKey') && !isTestRun;
	const judging: Judging = { state, hasKeys, recipientField };

	/** In the message, if it can differ between items. Undefined if the safeguard isn't added, or is turned off. */
	const valueFor = (name: string, { field }: Safeguard<never>, message?: Message) => {
		const value = message?.safeguards?.[name] ?? (values as Record<string, unknown>)[name];
		return value === field.off ? undefined : value;
	};

	const beforeRequest: Delivery['beforeRequest'] = (message, isClaimed) => {
		for (const [name, safeguard] of inOrder) {
			const value = valueFor(name, safeguard, message);
			if (value === undefined) continue;
			const outcome = safeguard.beforeRequest?.(message, value as never, judging, isClaimed);
			if (outcome) return outcome;
		}
		return undefined;
	};

	return {
		state,
		isDryRun,
		dryRunWarning,
		isTestRun,
		hasKeys,
		onUncertainDelivery,

		/** Judges what would be sent. @returns each item as planned, or how it ends instead. @throws RunRejected */
		async judge(items: PlannedItem[]): Promise<PlannedItem[]> {
			let judged = items;
			for (const [name, safeguard] of inOrder) {
				const { judge } = safeguard;
				if (judge) {
					judged = await mapInTurns(judged, (item) => {
						if (!isToSend(item)) return item;
						const { message, earlier } = item;
						const value = valueFor(name, safeguard, message);
						const outcome = value !== undefined && judge(message, value as never, judging);
						return outcome ? { message, outcome: earlier ?? outcome } : item;
					});
				}
				const value = valueFor(name, safeguard);
				if ('judgeList' in safeguard && value !== undefined) {
					judged = safeguard.judgeList(judged, value as never, judging);
				}
			}
			// With Send First, a customer gets one message: two that share a key aren't both sent.
			if (values.repeatedRecipients !== 'sendFirst') {
				await requireSameContentForSameKey(messagesToSend(judged));
			}
			return isDryRun ? await simulate(judged, beforeRequest, state) : judged;
		},

		/** How they take part in a delivery. @param continues whether a failure doesn't end it anyway */
		whileSending(continues: boolean, maxConcurrency: number) {
			const limit = continues ? values.stopAfterFailures : 0;
			const counting = countingWhileSending(state, limit, maxConcurrency, callId !== undefined);
			return { ...counting, beforeRequest, onUncertainDelivery };
		},
	};
}
