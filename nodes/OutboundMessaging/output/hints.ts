import type { IExecuteFunctions } from 'n8n-workflow';

import type { Outcome, Skipped } from '../delivery/outcome';
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
		const counts = formatCounts(countOutcomes(outcomes)) + skipReasons(outcomes);
		hint(counts, outcomes.some(isFailed) ? 'warning' : 'info');
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

const SKIP_REASONS: Record<Skipped['reason'], string> = {
	alreadySent: 'already sent',
	doNotContact: "on 'Do Not Contact'",
	repeatedRecipient: 'repeated recipient',
	testRun: 'test run',
};

/** E.g. " (3 already sent, 1 on 'Do Not Contact')"; empty when nothing was skipped. */
function skipReasons(outcomes: Outcome[]): string {
	const counts = new Map<string, number>();
	for (const outcome of outcomes) {
		if (outcome.delivery !== 'skipped') continue;
		const reason = SKIP_REASONS[outcome.reason];
		counts.set(reason, (counts.get(reason) ?? 0) + 1);
	}
	const parts = [...counts].map(([reason, count]) => `${count} ${reason}`);
	return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
