import type { Message, PlannedItem } from '../delivery/message';
import type { Failed, Skipped } from '../delivery/outcome';
import type { Field } from '../fields/field';
import type { ExecutionState } from './executionState';

/** What the safeguards of a run judge by, besides their own values. */
export interface Judging {
	state: ExecutionState;
	/** The item whose message each recipient gets, of those that were judged so far. */
	firstItems: Map<string, number>;
	/** The parameter that says who gets a message, and its field in the request body. */
	recipientField: { label: string; body: string };
}

/** What the user sees of a safeguard, and what it does with the user's value. Its words are in the outcomes that it gives. */
export interface Safeguard<V> {
	field: Field;
	/** Judges a message before anything is sent. @returns how it ends instead of being sent */
	before?(message: Message, value: V, judging: Judging): Skipped | Failed | undefined;
	/** Judges the list of all messages, after each of them. @throws RunRejected */
	wholeList?(items: PlannedItem[], value: V, judging: Judging): PlannedItem[];
	/** Judges a message again when its turn comes. @returns how it ends instead of being sent */
	whenItsTurn?(message: Message, value: V): Skipped | Failed | undefined;
}
