import { sleep } from 'n8n-workflow';

/** A sleep that another can end. One sleeps at a time. */
export class Sleeper {
	/** Ends the sleep, if one sleeps. */
	wake: () => void = () => {};

	async sleep(milliseconds: number): Promise<void> {
		const isWoken = new Promise<void>((resolve) => (this.wake = resolve));
		await Promise.race([sleep(milliseconds), isWoken]);
	}
}
