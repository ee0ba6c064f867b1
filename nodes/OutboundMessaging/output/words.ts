import type { Failure } from '../common/failure';
import { type Outcome, isFailed } from '../delivery/message';

const MAX_RANGES = 10;

/** The texts as one. Each ends with a period, unless it ends a sentence already. */
export const sentences = (...texts: string[]): string =>
	texts.map((text) => (/[.!?…]$/.test(text) ? text : `${text}.`)).join(' ');

/** How to fix a failure, after what's certain. */
export const fixOf = ({ isUnsent, description }: Failure): string =>
	isUnsent ? `This message wasn't sent. ${description}` : description;

/** E.g. "1 message", "2 messages". */
export const numberOf = (count: number, noun: string): string =>
	`${count} ${noun}${count === 1 ? '' : 's'}`;

/** E.g. "items 0 to 4, 7 and 12 more (n8n counts items from 0)", of items in ascending order. */
export function formatItems(items: Array<{ itemIndex: number }>): string {
	const ranges: number[][] = [];
	for (const { itemIndex } of items) {
		const range = ranges.at(-1);
		if (range?.at(-1) === itemIndex - 1) range.push(itemIndex);
		else ranges.push([itemIndex]);
	}
	const shown = ranges.slice(0, MAX_RANGES);
	const words = shown.map((range) =>
		range.length > 2 ? `${range[0]} to ${range.at(-1)}` : range.join(', '),
	);
	const rest = items.length - shown.flat().length;
	const noun = items.length === 1 ? 'item' : 'items';
	return (
		`${noun} ${words.join(', ')}${rest > 0 ? ` and ${rest} more` : ''} ` +
		'(n8n counts items from 0)'
	);
}

/** Each text with how often it's there, the most frequent one first. */
export function countTexts(texts: string[]): Array<[text: string, count: number]> {
	const counts = new Map<string, number>();
	for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
	return [...counts].sort(([, one], [, other]) => other - one);
}

/** So many are shown; a list of bad phone numbers has a reason for each. */
const MAX_REASONS = 3;

/** E.g. "no such customer (3)", the most frequent texts first. */
export const mostFrequent = (texts: string[]): string[] =>
	countTexts(texts)
		.slice(0, MAX_REASONS)
		.map(([text, count]) => `${text} (${count})`);

/** E.g. "Why: outside the hours (2) · no such customer (1)"; none when nothing failed. */
export function reasonsOf(outcomes: Outcome[]): string[] {
	const titles = outcomes.filter(isFailed).map(({ failure }) => failure.title);
	if (titles.length === 0) return [];
	const reasons = mostFrequent(titles);
	const others = new Set(titles).size - MAX_REASONS;
	if (others > 0) reasons.push(`and ${numberOf(others, 'other reason')}`);
	return [`Why: ${reasons.join(' · ')}`];
}

/** How messages end, in the order of a list. */
const ENDS = ['accepted', 'rejected', 'uncertain', 'not attempted', 'skipped'];

/** E.g. "97 accepted, 2 rejected, 1 uncertain", part by part; what didn't happen is left out. */
export function listCounts(outcomes: Outcome[]): string[] {
	const ends = outcomes.map(({ delivery }) =>
		delivery === 'notAttempted' ? 'not attempted' : delivery,
	);
	const counts = new Map(countTexts(ends));
	return ENDS.filter((end) => counts.has(end)).map((end) => `${counts.get(end)} ${end}`);
}

/** E.g. "97 of 100 messages accepted, 2 rejected, 1 uncertain". */
export function formatCounts(outcomes: Outcome[]): string {
	const accepted = outcomes.filter(({ delivery }) => delivery === 'accepted').length;
	return withOtherCounts(
		`${accepted} of ${numberOf(outcomes.length, 'message')} accepted`,
		outcomes,
	);
}

/** What's said first, and how the messages ended that weren't accepted. */
export const withOtherCounts = (first: string, outcomes: Outcome[]): string =>
	[first, ...listCounts(outcomes.filter(({ delivery }) => delivery !== 'accepted'))].join(', ');
