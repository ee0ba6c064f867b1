import type { Logger } from 'n8n-workflow';

import type { Outcome } from '../delivery/message';
import { listCounts } from './words';

/** A line at every tenth of a run, but not more often than this. */
const MIN_INTERVAL_MS = 5_000;

export function progressLog(logger: Logger, nodeName: string, total: number) {
	const outcomes: Outcome[] = [];
	let next = total / 10;
	let quietUntil = performance.now() + MIN_INTERVAL_MS;
	return (outcome: Outcome) => {
		const done = outcomes.push(outcome);
		if (done < next || performance.now() < quietUntil) return;
		next = done + total / 10;
		quietUntil = performance.now() + MIN_INTERVAL_MS;
		const counts = listCounts(outcomes).join(', ');
		logger.info(`${nodeName}: ${done} of ${total} messages done: ${counts}`);
	};
}
