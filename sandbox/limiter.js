'use strict';

/** Admits at most `requests` in any stretch of `perMs`; a refused request takes no room. */
class SlidingWindow {
	#admitted;
	#perMs;
	#next = 0;

	/** @param {number} requests @param {number} perMs */
	constructor(requests, perMs) {
		this.#admitted = new Array(Math.min(requests, 1_000_000)).fill(-Infinity);
		this.#perMs = perMs;
	}

	/** @returns {boolean} */
	admit(now = performance.now()) {
		if (this.roomInMs(now) > 0) return false;
		this.#admitted[this.#next] = now;
		this.#next = (this.#next + 1) % this.#admitted.length;
		return true;
	}

	/** The slot to be used next is the oldest one. @returns {number} */
	roomInMs(now = performance.now()) {
		return Math.max(0, this.#admitted[this.#next] + this.#perMs - now);
	}
}

module.exports = { SlidingWindow };
