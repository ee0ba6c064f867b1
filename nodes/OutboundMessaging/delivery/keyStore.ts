import type { IExecuteFunctions } from 'n8n-workflow';

import type { Clock } from './clock';
import { systemClock } from './clock';
import { KeyQueue } from './keyQueue';
import { asKeyStoreError } from './keyStoreError';
import { RunRejected } from './runRejected';

/** So many of a node's newest keys are kept at least. A run may have no more than that. */
export const KEPT_KEYS = 20_000;

/** What became of a key that was asked for. */
export type Claim = 'claimed' | 'alreadySent' | 'uncertain' | 'stopped';

/**
 * The send-once keys of a node, across executions and processes. Nothing here hangs: every wait is bounded, the wait
 * for a store that never answers included.
 */
export interface KeyStore {
	/**
	 * Makes sure that keys can be claimed at all. Await it before anything is sent; it ends early when shouldStop() is
	 * true.
	 * @throws RunRejected when they can't, e.g. because a Remove Duplicates node uses what serves as the lock
	 */
	prepare(shouldStop: () => boolean): Promise<void>;
	/**
	 * Claims a key with its in-flight mark. A key that another execution holds in flight is waited for; released
	 * meanwhile, it is claimed.
	 * @param waitMs how long to wait for each execution that holds it, in milliseconds, not counting the looks; longer
	 * than a message can be in flight
	 * @returns `claimed`: send the message. `alreadySent`: it was accepted earlier. `uncertain`: an earlier execution
	 * left it uncertain, or it is still in flight after the wait (left so by a killed process). `stopped`: shouldStop()
	 * was true before the key was claimed
	 * @throws KeyStoreError when it couldn't be checked (no lock, database error): nothing may be sent then
	 */
	claim(key: string, waitMs: number, shouldStop: () => boolean): Promise<Claim>;
	/**
	 * Takes over an uncertain key (after `uncertain`, when the user chose Resend). Otherwise like claim: of several
	 * executions that try, one gets the key, and the others wait for what becomes of it.
	 */
	reclaim(key: string, waitMs: number, shouldStop: () => boolean): Promise<Claim>;
	/**
	 * The message was accepted: the in-flight mark goes, the key stays.
	 * @throws KeyStoreError when that couldn't be written: a later execution takes the message for uncertain
	 */
	markAccepted(key: string): Promise<void>;
	/**
	 * The message may or may not have been sent: later executions say so without waiting for it, and reclaim takes it.
	 * Never rejects: without it they say the same, after the wait.
	 */
	markUncertain(key: string): Promise<void>;
	/**
	 * The message was certainly not sent: key and mark go. Not for a key that reclaim took, which stays uncertain: that the
	 * message wasn't sent again says nothing about the first time.
	 * @throws KeyStoreError when that couldn't be written: a later execution takes the message for uncertain
	 */
	release(key: string): Promise<void>;
	/** How many older entries were pushed out of the store by new keys during this run. */
	readonly pushedOut: number;
}

/**
 * @param keys how many keys the run has
 * @throws RunRejected without a saved workflow, and for more keys than the store keeps
 */
export function openKeyStore(context: IExecuteFunctions, keys: number): KeyStore {
	const { id: workflowId } = context.getWorkflow();
	if (!workflowId) {
		throw rejected(
			"'Send Once Key' needs a saved workflow",
			'n8n keeps the keys under the ID of the workflow, and this workflow has none yet. Save the workflow, then run it again',
		);
	}
	if (keys > KEPT_KEYS) {
		throw rejected(
			`${keys} items have a 'Send Once Key', more than the ${KEPT_KEYS} that one execution may have`,
			`Split the list into several executions of at most ${KEPT_KEYS} items each`,
		);
	}
	const queue = new KeyQueue(context.helpers, systemClock, workflowId, KEPT_KEYS);
	return new QueuedKeyStore(queue, systemClock);
}

/** While a key is in flight elsewhere, it is looked at this often: at first, and later. All keys at the same moment. */
const LOOK_MS = 200;
const LOOK_LATER_MS = 1_000;
const LATER_MS = 3_000;

/** What is asked next. Most keys are free, and most of the others accepted: so that is asked first. */
const NEXT = { claim: 'look', look: 'wait', wait: 'wait', reclaim: 'reclaim' } as const;

export class QueuedKeyStore implements KeyStore {
	/** The keys that were taken over, and in which round. */
	private readonly takenOver = new Map<string, number>();

	constructor(
		private readonly queue: KeyQueue,
		private readonly clock: Clock,
	) {}

	get pushedOut(): number {
		return this.queue.pushedOut;
	}

	async prepare(shouldStop: () => boolean): Promise<void> {
		try {
			await this.queue.add({ kind: 'check', key: '', shouldStop });
		} catch (error) {
			const { message, description } = asKeyStoreError(error);
			throw rejected(`What was sent before couldn't be checked: ${message}`, description);
		}
	}

	async claim(key: string, waitMs: number, shouldStop: () => boolean): Promise<Claim> {
		return await this.take('claim', key, waitMs, shouldStop);
	}

	async reclaim(key: string, waitMs: number, shouldStop: () => boolean): Promise<Claim> {
		return await this.take('reclaim', key, waitMs, shouldStop);
	}

	async markAccepted(key: string): Promise<void> {
		await this.queue.add({ kind: 'accept', key, takenOverIn: this.takenOver.get(key) });
	}

	async markUncertain(key: string): Promise<void> {
		await this.queue
			.add({ kind: 'uncertain', key, takenOverIn: this.takenOver.get(key) })
			.catch(() => {});
	}

	async release(key: string): Promise<void> {
		await this.queue.add({ kind: 'release', key });
	}

	private async take(
		kind: 'claim' | 'reclaim',
		key: string,
		waitMs: number,
		shouldStop: () => boolean,
	): Promise<Claim> {
		// Looks don't count: while one waits for a lock that a killed process left, so does the sender's mark.
		let waited = 0;
		let round = 0;
		for (let ask: keyof typeof NEXT = kind; ; ask = NEXT[ask]) {
			const isLastLook = waited >= waitMs;
			const found = await this.queue.add({ kind: ask, key, isLastLook, round, shouldStop });
			if (found === 'askFurther') continue;
			if (typeof found !== 'object') return found as Claim;
			if ('takenOverIn' in found) {
				this.takenOver.set(key, found.takenOverIn);
				return 'claimed';
			}
			if (found.round !== round) {
				// Another execution has claimed it since the look before: its message has as much time as the first one.
				round = found.round;
				waited = 0;
			}
			const step = waited < LATER_MS ? LOOK_MS : LOOK_LATER_MS;
			const looked = this.clock.now();
			await this.clock.sleep(step - (looked % step));
			waited += this.clock.now() - looked;
		}
	}
}

function rejected(title: string, description: string): RunRejected {
	return new RunRejected({ title, description, n8nCause: { cause: 'configuration-invalid' } });
}
