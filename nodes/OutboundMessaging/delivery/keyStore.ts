import type { IExecuteFunctions } from 'n8n-workflow';

import { type Clock, systemClock } from './clock';
import { KeyQueue } from './keyQueue';
import type { Key } from './keyStates';
import { asKeyStoreError } from './keyStoreError';
import { misconfigured } from './runRejected';

/** So many of a node's newest keys are kept at least. A run may have no more than that. */
export const KEPT_KEYS = 20_000;

/** How much longer than its request a key is held: for the store's calls around it. */
const HOLD_MARGIN_MS = 10_000;

/** What became of a key that was asked for. */
export type Claim = 'claimed' | 'alreadySent' | 'uncertain' | 'stopped';

/**
 * The send-once keys of a node, across executions and processes. A key is held for one request only. Nothing here
 * hangs: every wait is bounded, the wait for a store that never answers included.
 */
export class KeyStore {
	/** @param holdMs how long a key may be held, in milliseconds; others wait for it that long */
	constructor(
		private readonly queue: KeyQueue,
		private readonly clock: Clock,
		private readonly holdMs: number,
	) {}

	/** How many older keys were pushed out of the store by new ones during this run. */
	get pushedOut(): number {
		return this.queue.pushedOut;
	}

	/**
	 * Makes sure that keys can be claimed at all. Await it before anything is sent; it ends early when shouldStop() is
	 * true.
	 * @throws RunRejected when they can't, e.g. because a Remove Duplicates node uses what serves as the lock
	 */
	async prepare(shouldStop: () => boolean): Promise<void> {
		try {
			await this.queue.add('prepare', { name: '', owner: '' }, shouldStop);
		} catch (error) {
			const { message, description } = asKeyStoreError(error);
			throw misconfigured(`What was sent before couldn't be checked: ${message}`, description);
		}
	}

	/**
	 * Claims a key. One that another execution holds is waited for; released meanwhile, it is claimed.
	 * @param mostMs how long to wait at most, in milliseconds. The looks don't count: if they wait for a lock that a killed
	 * process left, the holder of the key waits for it, too
	 * @returns `claimed`: send the message. `alreadySent`: it was accepted earlier. `uncertain`: an earlier execution left
	 * it uncertain, or still holds it after the wait, or it was accepted for another recipient. `stopped`: shouldStop()
	 * was true before the key was claimed
	 * @throws KeyStoreError when it couldn't be checked (no lock, database error): nothing may be sent then
	 */
	async claim(key: Key, shouldStop: () => boolean, mostMs = Infinity): Promise<Claim> {
		const waitMs = Math.min(mostMs, this.holdMs);
		let waited = 0;
		// Most keys are free, so that is asked first: it leaves nothing to remove.
		let found = await this.queue.add('claim', key, shouldStop);
		while (found === 'inFlight') {
			found = await this.queue.add('look', key, shouldStop);
			if (found !== 'inFlight') break;
			if (waited >= waitMs) return 'uncertain';
			const step = waited < OFTEN_MS ? LOOK_MS : LOOK_LATER_MS;
			const looked = this.clock.now();
			// All that wait look at the same moments, and so together.
			await this.clock.sleep(step - (looked % step));
			waited += this.clock.now() - looked;
		}
		return found!;
	}

	/**
	 * The message was accepted, by whichever execution: nothing takes that back.
	 * @throws KeyStoreError when that couldn't be written: a later execution takes the message for uncertain
	 */
	async markAccepted(key: Key): Promise<void> {
		await this.queue.add('accept', key);
	}

	/**
	 * The message may or may not have been sent.
	 * @throws KeyStoreError when that couldn't be written: later executions say so as well, after a wait
	 */
	async markUncertain(key: Key): Promise<void> {
		await this.queue.add('markUncertain', key);
	}

	/**
	 * The message was certainly not sent: the key is free again. Only for whoever claimed it.
	 * @throws KeyStoreError when that couldn't be written, or the key was held for too long: it stays uncertain
	 */
	async release(key: Key): Promise<void> {
		await this.queue.add('release', key);
	}
}

/** How often a key that's in flight elsewhere is looked at: at first, and later. */
const LOOK_MS = 200;
const LOOK_LATER_MS = 2_000;
const OFTEN_MS = 3_000;

/**
 * @param keys how many keys the run has
 * @param timeoutMs how long a request may take, in milliseconds
 * @throws RunRejected without a saved workflow, and for more keys than the store keeps
 */
export function openKeyStore(
	context: IExecuteFunctions,
	keys: number,
	timeoutMs: number,
): KeyStore {
	const { id: workflowId } = context.getWorkflow();
	if (!workflowId) {
		throw misconfigured(
			"'Send Once Key' needs a saved workflow",
			'n8n keeps the keys under the ID of the workflow, and this workflow has none yet. Save the workflow, then run it again',
		);
	}
	if (keys > KEPT_KEYS) {
		throw misconfigured(
			`${keys} items have a 'Send Once Key', more than the ${KEPT_KEYS} that one execution may have`,
			`Split the list into several executions of at most ${KEPT_KEYS} items each`,
		);
	}
	const holdMs = timeoutMs + HOLD_MARGIN_MS;
	const queue = new KeyQueue(context.helpers, systemClock, workflowId, KEPT_KEYS, holdMs);
	return new KeyStore(queue, systemClock, holdMs);
}
