import type { Message } from '../delivery/message';
import type { Outcome } from '../delivery/outcome';
import type { AddedField, RecipientField } from '../fields/field';
import type { ExecutionState } from './executionState';

/** What the safeguards of a run judge by, besides their own values. */
export interface Judging {
	/** Before anything is sent, or when a message's turn comes: before its keys are claimed, and once they are. */
	moment: 'planned' | 'due' | 'claimed';
	state: ExecutionState;
	/** Whether messages claim send-once keys: which of them are sent is known when their turn comes. */
	hasKeys: boolean;
	recipientField: RecipientField;
}

/** What the user sees of a safeguard, and what it does with the user's value. Its words are in the outcomes that it gives. */
export type Safeguard<V> = AddedField & {
	/**
	 * Judges a message at each moment, in a plan each one after those before it in the list. In a test run, it's the message
	 * to the item's own recipient.
	 * @returns how the message ends instead of being sent
	 */
	judge?(message: Message, value: V, judging: Judging): Outcome | undefined;
};
