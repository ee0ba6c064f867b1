import { sleep } from 'n8n-workflow';

/** Time in milliseconds. The tests have a clock of their own, on which hours pass in no time. */
export interface Clock {
	/** A time that never goes back. */
	now(): number;
	sleep(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = { now: () => performance.now(), sleep };
