import type { Message, PlannedItem } from '../delivery/message';
import type { Outcome } from '../delivery/outcome';
import type { AddedField, RecipientField } from '../fields/field';
import type { ExecutionState } from './executionState';

/** What the safeguards of a run judge by, besides their own values. */
export interface Judging {
	state: ExecutionState;
	/** Whether messages claim send-once keys: which of them are sent is known when their turn comes. */
	hasKeys: boolean;
	recipientField: RecipientField;
}

/** What the user sees of a safeguard, and what it does with the user's value. Its words are in the outcomes that it gives. */
export interface Safeguard<V> {
	/** With the `check` that makes the value. While that's `off`, it isn't asked. */
	field: AddedField;
	/** What it judges by, if that's the whole execution: how many messages it has sent, or also who got them. */
	judgesBy?: 'messages' | 'recipients';
	/** Judges a message before anything is sent. @returns how it ends instead of being sent */
	judge?(message: Message, value: V, judging: Judging): Outcome | undefined;
	/**
	 * Judges a message when its turn comes: before its keys are claimed, and once they are.
	 * @returns how it ends instead of being sent
	 */
	beforeRequest?(
		message: Message,
		value: V,
		judging: Judging,
		isClaimed: boolean,
	): Outcome | undefined;
}

/** One that has the same value for every item can also judge the list of all messages. */
export interface ListSafeguard<V> extends Safeguard<V> {
	field: AddedField & { isPerItem?: undefined };
	/** Judges the list before anything is sent. @throws RunRejected */
	judgeList(items: PlannedItem[], value: V, judging: Judging): PlannedItem[];
}
