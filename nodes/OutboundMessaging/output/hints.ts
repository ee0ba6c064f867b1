import type { IExecuteFunctions } from 'n8n-workflow';

import type { Outcome } from '../delivery/outcome';
import { isFailed } from '../delivery/outcome';
import { countOutcomes, countsInWords } from './progress';

/** A note above the output in the editor when not every message was accepted, so that nobody has to count. */
export function addOutcomeHint(context: IExecuteFunctions, outcomes: Outcome[]): void {
	if (outcomes.length === 1 || outcomes.every(({ delivery }) => delivery === 'accepted')) return;
	const counts = countsInWords(countOutcomes(outcomes));
	context.addExecutionHints({
		message: `Of ${outcomes.length} messages: ${counts}`,
		type: outcomes.some(isFailed) ? 'warning' : 'info',
		location: 'outputPane',
	});
}
