import type { Clock } from './clock';

/** No timer outlasts a promise by more than this, in milliseconds. */
const TICK_MS = 1_000;

/** A promise didn't settle in its time. What it promises may still happen later. */
export class TimeLimitExceeded extends Error {
	constructor(milliseconds: number) {
		super(`no response within ${Math.ceil(milliseconds / 1000)} seconds`);
	}
}

/**
 * Waits for a promise, but not for longer than this.
 * @throws TimeLimitExceeded, or what the promise rejects with
 */
export async function withTimeLimit<T>(
	clock: Clock,
	milliseconds: number,
	promise: Promise<T>,
): Promise<T> {
	const until = clock.now() + milliseconds;
	let isSettled = false;
	const result = promise.finally(() => (isSettled = true));
	const timeIsUp = async () => {
		for (let left = milliseconds; !isSettled && left > 0; left = until - clock.now()) {
			await clock.sleep(Math.min(TICK_MS, left));
		}
		if (isSettled) return await result;
		throw new TimeLimitExceeded(milliseconds);
	};
	return await Promise.race([result, timeIsUp()]);
}
