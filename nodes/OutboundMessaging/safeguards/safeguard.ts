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

/**
 * Judges a message at each moment; before anything is sent, the messages in the order of the list. In a test run, it gets
 * the messages to the items' own recipients.
 * @returns how the message ends instead of being sent
 */
type Judge<V, J> = (message: Message, value: V, judging: J) => Outcome | undefined;

/** What the user sees of a safeguard, and what it does with the user's value. Its words are in the outcomes that it gives. */
export type Safeguard<V> = AddedField &
	(
		| { countsBy: 'messages' | 'recipients'; judge?: Judge<V, Judging> }
		// Only those that say so may use the state: for others, recipients aren't kept, and an agent's calls don't wait in line.
		| { countsBy?: undefined; judge?: Judge<V, Omit<Judging, 'state'>> }
	);
