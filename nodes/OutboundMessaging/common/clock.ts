import { sleep } from 'n8n-workflow';

/** Time in milliseconds. The tests have a clock of their own, on which hours pass in no time. */
export interface Clock {
	/** A time that never goes back. */
	now(): number;
	sleep(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = { now: () => performance.now(), sleep };

/**
 * How often a wait checks whether its promise has settled, in milliseconds: its timer ends no
 * later than that.
 */
const TICK_MS = 100;

/** A promise didn't settle in time. What it promises may still happen. */
export class TimeLimitExceeded extends Error {
	constructor(milliseconds: number) {
		super(`no response within ${Math.ceil(milliseconds / 1000)} seconds`);
	}
}

/**
 * Waits for a promise for so long.
 * @param late gives the result when the time is up; without it, TimeLimitExceeded is thrown
 * @param latest a deadline that can move, read at each tick
 */
export async function withinTime<T>(
	clock: Clock,
	milliseconds: number,
	promise: Promise<T>,
	late = (): T | Promise<T> => {
		throw new TimeLimitExceeded(milliseconds);
	},
	latest = () => Infinity,
): Promise<T> {
	const end = clock.now() + milliseconds;
	let isSettled = false;
	const result = promise.finally(() => (isSettled = true));
	const timeIsUp = async () => {
		for (;;) {
			const left = Math.min(end, latest()) - clock.now();
			if (isSettled || left <= 0) break;
			await clock.sleep(Math.min(TICK_MS, left));
		}
		return await (isSettled ? result : late());
	};
	return await Promise.race([result, timeIsUp()]);
}

/** A sleep that another can end. One sleeps at a time. */
export class Sleeper {
	/** Ends the sleep, if one sleeps. */
	wake: () => void = () => {};

	async sleep(milliseconds: number): Promise<void> {
		const isWoken = new Promise<void>((resolve) => (this.wake = resolve));
		await Promise.race([sleep(milliseconds), isWoken]);
	}
}
