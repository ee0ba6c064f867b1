import type { IExecuteFunctions } from 'n8n-workflow';

import { type Message, type PlannedItem, messagesOf, sentTo } from '../delivery/message';
import { type Outcome, type Skipped, isFailed } from '../delivery/outcome';
import { countOutcomes, formatCounts, listCounts, formatIndexes, numberOf } from './words';
import { quoteForError } from '../validation/invalidValue';

/**
 * Notes above the output in the editor: how many messages were not accepted and why, and what the items alone don't say.
 * @param pushedOutKeys how many send-once keys the store dropped in this run to make room for newer ones
 */
export function addOutcomeHints(
	context: IExecuteFunctions,
	outcomes: Outcome[],
	pushedOutKeys = 0,
): void {
	const hint = hintsOf(context);
	if (outcomes.some(({ delivery }) => delivery !== 'accepted')) {
		const counts = formatCounts(countOutcomes(outcomes)) + skipReasons(outcomes);
		hint(counts + failureReasons(outcomes), outcomes.some(isFailed) ? 'warning' : 'info');
	}
	const unusual = outcomes.flatMap((outcome) =>
		outcome.delivery === 'accepted' && !USUAL_STATUSES.has(outcome.record.status)
			? [quoteForError(outcome.record.status)]
			: [],
	);
	if (unusual.length > 0) {
		const [have, them] = unusual.length === 1 ? ['message has', 'it'] : ['messages have', 'them'];
		const statuses = byFrequency(unusual).slice(0, MAX_REASONS).join(', ');
		hint(
			`${unusual.length} accepted ${have} an unusual status: ${statuses}. Look at ${them} in the service's dashboard`,
			'warning',
		);
	}
	const changed = outcomes.flatMap((outcome, index) =>
		outcome.delivery === 'accepted' && outcome.contentChanged ? [index] : [],
	);
	if (changed.length > 0) {
		hint(
			`The content of ${formatIndexes(changed)} changed after an earlier try sent the message. A retry doesn't send it again, so the customer has the earlier content`,
			'warning',
		);
	}
	if (pushedOutKeys > 0) {
		hint(
			`The send-once keys of ${pushedOutKeys} earlier messages were removed to make room for newer ones. If those items come back, their messages are sent again`,
			'warning',
		);
	}
}

/** Of an accepted message (specification 3). A service can have others. */
const USUAL_STATUSES = new Set<unknown>(['ongoing', 'sent']);

/** Notes above the output in the editor. */
export function hintsOf(context: IExecuteFunctions) {
	return (message: string, type: 'info' | 'warning') =>
		context.addExecutionHints({ message, type, location: 'outputPane' });
}

const SKIP_REASONS: Record<Skipped['reason'], string> = {
	alreadySent: 'already sent',
	doNotContact: "on 'Do Not Contact'",
	repeatedRecipient: 'repeated recipient',
	testRun: 'test run',
};

/** E.g. " (3 already sent, 1 on 'Do Not Contact')"; empty when nothing was skipped. */
function skipReasons(outcomes: Outcome[]): string {
	const reasons = outcomes.flatMap((outcome) =>
		outcome.delivery === 'skipped' ? [SKIP_REASONS[outcome.reason]] : [],
	);
	const parts = countTexts(reasons).map(([reason, count]) => `${count} ${reason}`);
	return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** So many reasons are shown; a list of bad phone numbers has a reason for each. */
const MAX_REASONS = 3;

/** E.g. ". Why: outside the hours (2), no such customer (1)"; empty when nothing failed. */
function failureReasons(outcomes: Outcome[]): string {
	const reasons = byFrequency(outcomes.filter(isFailed).map(({ failure }) => failure.title));
	if (reasons.length === 0) return '';
	const shown = reasons.slice(0, MAX_REASONS);
	const rest = reasons.length - shown.length;
	const others = `${rest} other ${rest === 1 ? 'reason' : 'reasons'}`;
	return `. Why: ${shown.join(' · ')}${rest > 0 ? ` · and ${others}` : ''}`;
}

/** E.g. "no such customer (3)", the most frequent text first. */
function byFrequency(texts: string[]): string[] {
	return countTexts(texts).map(([text, count]) => `${text} (${count})`);
}

/** Each text with how often it's there, the most frequent one first. */
function countTexts(texts: string[]): Array<[text: string, count: number]> {
	const counts = new Map<string, number>();
	for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
	return [...counts].sort(([, one], [, other]) => other - one);
}

/** What 'Test Recipient' and 'Default Country' made of the recipients. */
export function addRecipientHints(context: IExecuteFunctions, messages: Message[]): void {
	const hint = hintsOf(context);
	const tests = messages.filter(({ tested }) => tested);
	if (tests.length > 0) {
		hint(
			`'Test Recipient' readdressed ${numberOf(tests.length, 'message')} to ${sentTo(tests[0])}: no customer gets ${tests.length === 1 ? 'it' : 'them'}`,
			'info',
		);
	}
	const completed = messages.map((message) => message.tested ?? message).filter(isCompletedNumber);
	if (completed.length > 0) {
		const [first] = completed;
		hint(
			`'Default Country' completed ${numberOf(completed.length, 'phone number')} without a plus sign, e.g. ${quoteForError(first.givenRecipient)} to ${sentTo(first)}`,
			'info',
		);
	}
}

/** A phone number without a plus sign or 00: only a default country can tell whose it is. */
function isCompletedNumber({ givenRecipient, recipient }: Message): boolean {
	if (givenRecipient === undefined || !recipient.startsWith('+')) return false;
	return !/\+|^[^0-9]*00/.test(givenRecipient);
}

/** The same for a dry run: what it would send, and what it can't tell. */
export function addDryRunHints(context: IExecuteFunctions, items: PlannedItem[]): void {
	const hint = hintsOf(context);
	const messages = messagesOf(items);
	const outcomes = items.flatMap((item) => ('outcome' in item ? [item.outcome] : []));
	const others = listCounts({ ...countOutcomes(outcomes), accepted: 0 });
	const recipients = new Set(messages.map(({ recipient }) => recipient)).size;
	const toWhom = recipients === 0 ? '' : ` to ${numberOf(recipients, 'recipient')}`;
	hint(
		`Dry run: ${messages.length} of ${numberOf(items.length, 'message')} would be sent${toWhom}${others && `, ${others}`}${skipReasons(outcomes)}${failureReasons(outcomes)}`,
		outcomes.some(isFailed) ? 'warning' : 'info',
	);
	if (messages.some(({ sendOnceKey }) => sendOnceKey !== undefined)) {
		hint(
			"Dry run: send-once keys aren't looked up, so what earlier executions sent shows as messages to send",
			'info',
		);
	}
}
