import type { Clock } from './clock';

const TICK_MS = 1_000;

/** A promise didn't settle in its time. What it promises may still happen later. */
export class TimeLimitExceeded extends Error {
	constructor(milliseconds: number) {
		super(`no response within ${Math.ceil(milliseconds / 1000)} seconds`);
	}
}

interface Pending {
	until: number;
	expire(): void;
}

/** Gives promises a time limit, with one timer for all of them; an unhurried one, that ends with the last promise. */
export class TimeLimit {
	private readonly pending = new Set<Pending>();
	private isTicking = false;

	constructor(private readonly clock: Clock) {}

	/**
	 * @param milliseconds how long the promise may take, give or take a second
	 * @throws TimeLimitExceeded, or what the promise rejects with
	 */
	async of<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
		return await new Promise<T>((resolve, reject) => {
			const entry: Pending = {
				until: this.clock.now() + milliseconds,
				expire: () => reject(new TimeLimitExceeded(milliseconds)),
			};
			this.pending.add(entry);
			promise.then(resolve, reject).finally(() => this.pending.delete(entry));
			if (!this.isTicking) void this.watch();
		});
	}

	private async watch(): Promise<void> {
		this.isTicking = true;
		while (this.pending.size > 0) {
			await this.clock.sleep(TICK_MS);
			const now = this.clock.now();
			for (const entry of this.pending) {
				if (now < entry.until) continue;
				this.pending.delete(entry);
				entry.expire();
			}
		}
		this.isTicking = false;
	}
}
