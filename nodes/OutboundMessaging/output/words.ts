import type { Failure } from '../delivery/outcome';

const MAX_RANGES = 10;

/** The texts as one, without those that are missing. Each ends with a period, unless it ends a sentence already. */
export const sentences = (...texts: Array<string | false | undefined>): string =>
	texts
		.filter((text) => typeof text === 'string')
		.map((text) => (/[.!?…]$/.test(text) ? text : `${text}.`))
		.join(' ');

/** How to fix a failure, after what's certain. */
export const fixOf = ({ isUnsent, description }: Failure): string =>
	isUnsent ? `Nothing was sent to this customer. ${description}` : description;

/** E.g. "1 message", "2 messages". */
export const numberOf = (count: number, noun: string): string =>
	`${count} ${noun}${count === 1 ? '' : 's'}`;

/** E.g. "items 0 to 4, 7 and 12 more (n8n counts items from 0)", from indexes in ascending order. */
export function formatIndexes(itemIndexes: number[]): string {
	const ranges: number[][] = [];
	for (const index of itemIndexes) {
		const range = ranges.at(-1);
		if (range?.at(-1) === index - 1) range.push(index);
		else ranges.push([index]);
	}
	const shown = ranges.slice(0, MAX_RANGES);
	const words = shown.map((range) =>
		range.length > 2 ? `${range[0]} to ${range.at(-1)}` : range.join(', '),
	);
	const rest = itemIndexes.length - shown.flat().length;
	const noun = itemIndexes.length === 1 ? 'item' : 'items';
	return `${noun} ${words.join(', ')}${rest > 0 ? ` and ${rest} more` : ''} (n8n counts items from 0)`;
}
