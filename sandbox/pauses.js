'use strict';

/** Timers that can all be called off at once, so that stopping never waits for a slow answer. */
class Pauses {
	#timers = new Set();

	/** @param {number} ms @param {() => void} then */
	after(ms, then) {
		if (!(ms > 0)) return void then();
		const timer = setTimeout(() => {
			this.#timers.delete(timer);
			then();
		}, ms);
		this.#timers.add(timer);
	}

	clear() {
		for (const timer of this.#timers) clearTimeout(timer);
		this.#timers.clear();
	}
}

module.exports = { Pauses };
