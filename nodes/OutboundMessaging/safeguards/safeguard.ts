import type { Message, Outcome } from '../delivery/message';
import type { AddedField, RecipientField } from '../parameters/field';
import type { ExecutionState } from './executionState';

/** What the safeguards of a run judge by, besides their own values. */
export interface Judging {
	state: ExecutionState;
	/**
	 * Whether messages claim send-once keys: which of them are sent is known when their turn comes.
	 */
	claimsKeys: boolean;
	recipientField: RecipientField;
}

/** Before anything is sent; when a message's turn comes; and once its keys are claimed. */
export type Moment = 'planned' | 'due' | 'claimed';

/**
 * Judges a message; before anything is sent, the messages in the order of the list. In a test run,
 * it gets the messages to the items' own recipients.
 * @returns how the message ends instead of being sent
 */
type Judge<V> = (message: Message, value: V, judging: Judging) => Outcome | undefined;

/**
 * What the user sees of a safeguard, and what it does with the user's value. Its words are in the
 * outcomes that it gives.
 */
export type Safeguard<V> = AddedField & { judges?: Partial<Record<Moment, Judge<V>>> };
