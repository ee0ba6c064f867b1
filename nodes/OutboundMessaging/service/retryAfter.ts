/**
 * How long a service asks to wait (RFC 9110, 10.2.3): seconds or a date.
 * @param value the header's value
 * @param now milliseconds since 1970
 * @returns milliseconds; undefined when the header is missing, a list, senseless or not in the future
 */
export function retryAfterMs(value: unknown, now: number): number | undefined {
	const text = typeof value === 'string' ? value.trim() : '';
	const wait = /^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) * 1000 : dateOf(text) - now;
	return wait > 0 ? Math.min(wait, LONGEST) : undefined;
}

/** A year. Hundreds of digits would make an endless number, and nothing can be measured against that. */
const LONGEST = 365 * 24 * 3_600_000;

/** Only dates with letters are dates: `Date.parse` would take "-5" for the month of May. */
function dateOf(text: string): number {
	return /[A-Za-z]/.test(text) ? Date.parse(text) : NaN;
}
