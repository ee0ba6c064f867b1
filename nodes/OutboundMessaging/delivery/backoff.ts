/**
 * The wait after a rate limit when the service names none: 1, 2, 4 … seconds, up to a fifth longer so that nodes don't
 * retry in step.
 * @param time how many rate limits the message has met, this one included
 * @returns milliseconds
 */
export function backoffMs(time: number, random = Math.random()): number {
	return 1000 * 2 ** Math.min(time - 1, 6) * (1 + random / 5);
}
