/** Timers that can all be cleared at once, so that stopping never waits for a slow answer. */
export class Timers {
	readonly #timers = new Set<NodeJS.Timeout>();

	after(ms: number, then: () => void): void {
		if (!(ms > 0)) return then();
		const timer = setTimeout(() => {
			this.#timers.delete(timer);
			then();
		}, ms);
		this.#timers.add(timer);
	}

	clear(): void {
		for (const timer of this.#timers) clearTimeout(timer);
		this.#timers.clear();
	}
}
