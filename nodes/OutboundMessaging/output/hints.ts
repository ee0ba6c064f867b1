import type { IExecuteFunctions } from 'n8n-workflow';

import type { Outcome } from '../delivery/outcome';
import { isFailed } from '../delivery/outcome';
import { countOutcomes, formatCounts } from './counts';
import { formatIndexes } from './words';

/**
 * Notes above the output in the editor: how many messages were not accepted, and what the items alone don't say.
 * @param pushedOutKeys how many send-once keys the store dropped in this run to make room for newer ones
 */
export function addOutcomeHints(
	context: IExecuteFunctions,
	outcomes: Outcome[],
	pushedOutKeys: number,
): void {
	const hint = (message: string, type: 'info' | 'warning') =>
		context.addExecutionHints({ message, type, location: 'outputPane' });

	if (outcomes.length > 1 && outcomes.some(({ delivery }) => delivery !== 'accepted')) {
		hint(formatCounts(countOutcomes(outcomes)), outcomes.some(isFailed) ? 'warning' : 'info');
	}
	const changed = outcomes.flatMap((outcome, index) =>
		outcome.delivery === 'accepted' && outcome.contentChanged ? [index] : [],
	);
	if (changed.length > 0) {
		hint(
			`The content of ${formatIndexes(changed)} changed after an earlier try sent it. A retry doesn't send a second message to the same recipient, so they have the earlier content`,
			'warning',
		);
	}
	if (pushedOutKeys > 0) {
		hint(
			`The send-once keys of ${pushedOutKeys} earlier messages made room for newer ones. Those messages are sent again if their items come back`,
			'warning',
		);
	}
}
