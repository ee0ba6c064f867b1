import type { Logger } from 'n8n-workflow';

import type { Outcome } from '../delivery/outcome';
import { listCounts } from './words';

/** Shorter runs log nothing, longer ones a line at every tenth, but not more often than this. */
const MIN_MESSAGES = 100;
const MIN_INTERVAL_MS = 5_000;

/** Logs how far a long run is. */
export function progressLog(logger: Logger, nodeName: string, total: number) {
	const outcomes: Outcome[] = [];
	let nextTenth = 1;
	let quietUntil = performance.now() + MIN_INTERVAL_MS;
	return (outcome: Outcome): void => {
		const done = outcomes.push(outcome);
		if (total < MIN_MESSAGES || done * 10 < nextTenth * total) return;
		nextTenth = Math.floor((done * 10) / total) + 1;
		if (performance.now() < quietUntil || done === total) return;
		quietUntil = performance.now() + MIN_INTERVAL_MS;
		const counts = listCounts(outcomes).join(', ');
		logger.info(`${nodeName}: ${done} of ${total} messages done: ${counts}`);
	};
}
