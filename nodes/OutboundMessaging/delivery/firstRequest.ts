import { yieldInOrder } from '../common/eventLoop';
import { withMutex } from '../common/mutex';
import { Sleeper } from '../common/clock';
import type { Message } from './message';

/** How often a wait checks whether a request may start, in milliseconds. */
const POLL_MS = 20;
/**
 * How long the others wait while the next message claims its keys: another execution may hold them.
 */
const CLAIM_MS = 1000;

/**
 * Lets one request go alone until the service is known to work: an outage leaves as few messages as
 * possible in doubt. Who waits holds no key.
 */
export class FirstRequest {
	private readonly underWay = new Set<Message>();
	private waitingCount = 0;
	/** Of the one who waits first. */
	private readonly sleeper = new Sleeper();
	/** Who waited first, and until when it may claim its keys. */
	private next?: { message: Message; until: number };

	constructor(
		private readonly isServiceUp: () => boolean,
		private readonly shouldStop: () => boolean,
	) {}

	/** Waits until a request may probably start, in the order of asking. */
	async wait(message: Message): Promise<void> {
		if (this.isServiceUp()) return;

		this.waitingCount++;
		await withMutex(this, async () => {
			while (!this.mayStart() || performance.now() < (this.next?.until ?? 0)) {
				if (this.isServiceUp() || this.shouldStop()) return;
				await this.sleeper.sleep(POLL_MS);
			}
			this.next = { message, until: performance.now() + CLAIM_MS };
		}).finally(() => this.waitingCount--);
		// All that waited continue at the same moment.
		await yieldInOrder();
	}

	/** @returns whether its request may start now: not before those that wait */
	begin(message: Message): boolean {
		const isNext = this.waitingCount === 0 || this.next?.message === message;
		if (!this.isServiceUp() && !(this.mayStart() && isNext)) return false;
		this.underWay.add(message);
		return true;
	}

	/** Its request has ended, or it makes none now. */
	end(message: Message): void {
		this.underWay.delete(message);
		if (this.next?.message === message) this.next = undefined;
		this.sleeper.wake();
	}

	private mayStart(): boolean {
		return this.underWay.size === 0 || this.isServiceUp();
	}
}
