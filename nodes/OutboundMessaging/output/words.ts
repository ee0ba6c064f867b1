const MAX_INDEXES = 10;

/** Ends a text with a period, unless it ends a sentence already. */
export function sentence(text: string): string {
	return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** E.g. "items 0, 3 and 12 more (n8n counts items from 0)". */
export function formatIndexes(itemIndexes: number[]): string {
	const shown = itemIndexes.slice(0, MAX_INDEXES).join(', ');
	const rest = itemIndexes.length - MAX_INDEXES;
	const noun = itemIndexes.length === 1 ? 'item' : 'items';
	return `${noun} ${shown}${rest > 0 ? ` and ${rest} more` : ''} (n8n counts items from 0)`;
}
