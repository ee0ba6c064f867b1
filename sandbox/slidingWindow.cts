/** Admits at most `requests` in any stretch of `perMs`; a rejected request takes no room. */
export class SlidingWindow {
	readonly #admitted: number[];
	readonly #perMs: number;
	#next = 0;

	constructor(requests: number, perMs: number) {
		this.#admitted = new Array<number>(Math.min(requests, 1_000_000)).fill(-Infinity);
		this.#perMs = perMs;
	}

	admit(now = performance.now()): boolean {
		if (this.roomInMs(now) > 0) return false;
		this.#admitted[this.#next] = now;
		this.#next = (this.#next + 1) % this.#admitted.length;
		return true;
	}

	/** The slot to be used next is the oldest one. */
	roomInMs(now = performance.now()): number {
		return Math.max(0, this.#admitted[this.#next] + this.#perMs - now);
	}
}
