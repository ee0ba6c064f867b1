import type { Logger } from 'n8n-workflow';

import type { Outcome } from '../delivery/outcome';

/** Shorter runs say nothing, longer ones a line at every tenth, but not more often than this. */
const LONG_RUN = 100;
const PAUSE = 5_000;

/** How many messages ended how. */
export type Counts = Record<Outcome['delivery'], number>;

export function countOutcomes(outcomes: Outcome[]): Counts {
	const counts: Counts = { accepted: 0, rejected: 0, uncertain: 0, notAttempted: 0, skipped: 0 };
	for (const { delivery } of outcomes) counts[delivery]++;
	return counts;
}

const WORDS: Array<[keyof Counts, string]> = [
	['accepted', 'accepted'],
	['rejected', 'rejected'],
	['uncertain', 'uncertain'],
	['notAttempted', 'not attempted'],
	['skipped', 'skipped'],
];

/** E.g. "97 accepted, 2 rejected, 1 uncertain"; what did not happen is left out. */
export function countsInWords(counts: Counts): string {
	const parts = WORDS.filter(([delivery]) => counts[delivery] > 0);
	return parts.map(([delivery, word]) => `${counts[delivery]} ${word}`).join(', ') || 'no messages';
}

/** Writes into n8n's log where a long run stands. */
export function progressLog(logger: Logger, nodeName: string, total: number) {
	const counts = countOutcomes([]);
	let done = 0;
	let nextTenth = 1;
	let quietUntil = performance.now() + PAUSE;
	return ({ delivery }: Outcome): void => {
		counts[delivery]++;
		done++;
		if (total < LONG_RUN || done * 10 < nextTenth * total) return;
		nextTenth = Math.floor((done * 10) / total) + 1;
		if (performance.now() < quietUntil || done === total) return;
		quietUntil = performance.now() + PAUSE;
		logger.info(`${nodeName}: ${done} of ${total} messages done: ${countsInWords(counts)}`);
	};
}
