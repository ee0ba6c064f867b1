import type { IExecuteFunctions } from 'n8n-workflow';

import { type Clock, systemClock } from '../../common/clock';
import { withMutex } from '../../common/mutex';
import { errorMessage, twoLines, RunRejected, misconfigured } from '../../common/failure';
import { type Store, LockRow } from './lockRow';
import type { Ledger } from '../ledger';
import { type PlannedItem, messagesToSend } from '../message';
import type { Found, Key, KeyAction, KeyEnd } from './keyStates';
import {
	MARKS_PER_KEY,
	contentMark,
	endMarks,
	foundBy,
	isNewlyAccepted,
	marksToAdd,
	marksToRemove,
} from './keyStates';
import type { EndedKey } from './messageKeys';
import { type UseStore, StoreLock } from './storeLock';

/** So many of a node's newest keys are kept at least. A run may have no more than that. */
export const KEPT_KEYS = 20_000;
/** How much longer than its request a key is held: for the store's queries around it. */
const HOLD_MARGIN_MS = 10_000;
/** How often a key that's in flight elsewhere is claimed again. */
const CLAIM_AGAIN_MS = 1_000;
/** After this long, the log says what an action waits for. */
const NOTE_WAIT_MS = 3_000;
/**
 * How long an action waits in total, for the actions before it and for the lock: more than two
 * takeovers of the lock.
 */
const WAIT_MS = 120_000;

const ENTRIES_MODE = { mode: 'entries' } as const;
/**
 * So many marks are removed in one query at most: n8n searches all of them for each one, 1.6 ms in
 * a full store. A release removes three.
 */
const REMOVED_AT_ONCE = 15;
/** Room for the marks that killed processes leave. */
const MOST_MARKS_PER_KEY = MARKS_PER_KEY + 0.2;

export type Claim = Exclude<Found, 'inFlight' | 'other: inFlight'> | 'stopped';

const NO_KEY: Key = { key: '' };

interface QueuedAction extends Key {
	action: KeyAction;
	/** When it stops waiting. What has begun doesn't stop: the lock has a limited time. */
	giveUpAt: number;
	shouldStop(): boolean;
	/** Anything but a claim has nothing to find: it resolves with 'claimed', too. */
	resolve(found: Found | 'stopped'): void;
	reject(error: unknown): void;
}

/**
 * The send-once keys of a node, across executions and processes. A key is held for one request
 * only. What is asked for while others are at work is done together, under a lock: the store reads,
 * changes and writes all marks of a node at once. Nothing here hangs: every wait is bounded, the
 * wait for a store that never answers included.
 */
export class KeyStore {
	private readonly lock: StoreLock;
	/** What hasn't begun. */
	private readonly waiting = new Set<QueuedAction>();
	/** Ends with all actions so far: the lock is given back, and another node can use its row. */
	idle?: Promise<void>;
	/** When this execution claimed a key. */
	private readonly claimedAt = new Map<string, number>();
	private readonly maxMarks: number;
	/** How many marks the store had before this run, and how many this run has added. */
	private marksBefore?: number;
	private addedCount = 0;
	private isWaitNoted = false;

	/**
	 * @param mutexName one name for all that change the same marks in this process
	 * @param holdMs how long a key may be held; others wait for it that long, and later
	 *   it isn't released
	 */
	constructor(
		private readonly store: Store,
		private readonly clock: Clock,
		private readonly mutexName: string,
		keptKeys: number,
		private readonly holdMs: number,
		private readonly onWait: (text: string) => void = () => {},
	) {
		this.lock = new StoreLock(new LockRow(store, clock));
		this.maxMarks = Math.round(keptKeys * MOST_MARKS_PER_KEY);
	}

	/** How many older keys were pushed out of the store by the new ones of this run. */
	get pushedOut(): number {
		const tooMany = (this.marksBefore ?? 0) + this.addedCount - this.maxMarks;
		return Math.max(0, Math.ceil(tooMany / MARKS_PER_KEY));
	}

	/**
	 * Makes sure, before anything is sent, that keys can be claimed at all.
	 * @param ended by keysOfEnded(): without these keys, the next execution would send
	 *   those messages again
	 * @throws RunRejected when they can't
	 */
	async prepare(shouldStop: () => boolean, ended: EndedKey[]): Promise<void> {
		const ends = ended.map(async ({ how, key }) => await this.end(how, { key }));
		await Promise.all([this.act('prepare', NO_KEY, shouldStop), ...ends]).catch(
			(error: unknown) => {
				if (error instanceof RunRejected) throw error;
				throw misconfigured(twoLines`What was sent before couldn't be \
					checked: ${errorMessage(error)}
				Check n8n's database`);
			},
		);
	}

	/**
	 * Claims a key. One that another execution holds is waited for; released
	 * meanwhile, it is claimed.
	 * @param mostMs how long to wait at most, without the claims themselves: while they wait for the
	 *   lock, so may the key's holder
	 * @returns `uncertain`: an earlier execution left it so, or still holds it after the wait.
	 *   `stopped`: by shouldStop()
	 * @throws when it couldn't be checked (no lock, database error): nothing may be sent then
	 */
	async claim(key: Key, shouldStop: () => boolean, mostMs = Infinity): Promise<Claim> {
		let leftMs = Math.min(mostMs, this.holdMs);
		for (;;) {
			const found = await this.act('claim', key, shouldStop);
			if (found !== 'inFlight' && found !== 'other: inFlight') return found;
			if (leftMs <= 0) return found === 'inFlight' ? 'uncertain' : 'other: uncertain';

			const now = this.clock.now();
			// All that wait claim again at the same moments, and so together.
			await this.clock.sleep(CLAIM_AGAIN_MS - (now % CLAIM_AGAIN_MS));
			leftMs -= this.clock.now() - now;
		}
	}

	/**
	 * Writes what became of the message.
	 * @throws if that wasn't possible, or the key to release was held for too long
	 */
	async end(how: KeyEnd, key: Key): Promise<void> {
		await this.act(how, key);
	}

	/**
	 * Within this process, one change of a node's marks waits for the one before, and then does
	 * whatever can be done.
	 */
	private async act(action: KeyAction, key: Key, shouldStop = () => false) {
		const giveUpAt = this.clock.now() + WAIT_MS;
		return await new Promise<Found | 'stopped'>((resolve, reject) => {
			this.waiting.add({ ...key, action, giveUpAt, shouldStop, resolve, reject });
			this.idle = withMutex(this.mutexName, async () => await this.handleWaiting());
		});
	}

	private async handleWaiting(): Promise<void> {
		let batch: QueuedAction[] | undefined;
		const work = async (useStore: UseStore) => {
			batch = this.takeBatch();
			await this.apply(batch, useStore);
		};
		try {
			await this.lock.hold(work, (problem) => this.isAnyWaiting(problem));
		} catch (error) {
			// Where the lock's row is in use by another node, such as Remove Duplicates, nothing is
			// begun, and all that wait fail.
			for (const { reject } of batch ?? this.waiting) reject(error);
			if (batch === undefined) this.waiting.clear();
		}
	}

	/**
	 * Whether anything still waits, once what has to stop, or has waited for too long, has ended.
	 * @param problem what it has waited for
	 */
	private isAnyWaiting(problem: string): boolean {
		const late = `n8n's key store wasn't available for ${WAIT_MS / 1000} seconds: ${problem}`;
		for (const queued of this.waiting) {
			if (queued.shouldStop()) queued.resolve('stopped');
			else if (this.clock.now() >= queued.giveUpAt) queued.reject(new Error(late));
			else continue;
			this.waiting.delete(queued);
		}
		this.noteWait();
		return this.waiting.size > 0;
	}

	/** Once: after a kill, nothing happens for most of a minute. */
	private noteWait(): void {
		const [first] = this.waiting;
		const isLong = first && first.giveUpAt - this.clock.now() < WAIT_MS - NOTE_WAIT_MS;
		if (!isLong || this.isWaitNoted) return;
		this.isWaitNoted = true;
		this.onWait(WAITS);
	}

	/**
	 * Everything that waits, but one action for each key: the next one depends on what
	 * becomes of the first.
	 */
	private takeBatch(): QueuedAction[] {
		const batch = new Map<string, QueuedAction>();
		for (const queued of this.waiting) {
			if (batch.has(queued.key)) continue;
			batch.set(queued.key, queued);
			this.waiting.delete(queued);
		}
		return [...batch.values()];
	}

	private async apply(batch: QueuedAction[], useStore: UseStore): Promise<void> {
		const begun = this.clock.now();
		const count = async () => await this.store.getProcessedDataCount('node', ENTRIES_MODE);
		this.marksBefore ??= await useStore(count);
		const marks = batch.flatMap((queued) => marksToAdd(queued.action, queued));
		// Adding them, the store drops the oldest ones that it has no room for.
		const newMarks = await this.add(marks, useStore, this.maxMarks);

		// What a claim has added wasn't there before.
		const isFree = (claim: QueuedAction) =>
			newMarks.has(claim.key) && newMarks.has(contentMark(claim));
		const of = (action: KeyAction) => batch.filter((queued) => queued.action === action);
		const [claims, releases] = [of('claim'), of('release')];
		const taken = claims.filter((claim) => !isFree(claim));
		for (const claim of claims.filter(isFree)) this.claimedAt.set(claim.key, begun);

		const unfinished = new Set([...taken, ...releases]);
		for (const queued of batch) if (!unfinished.has(queued)) queued.resolve('claimed');
		await this.release(releases, newMarks, useStore);
		await this.resolveTaken(taken, newMarks, useStore);
		await this.renew(of('accept'), newMarks, useStore);
	}

	/**
	 * Adds keys again that were accepted late: their marks may be very old. As the newest ones,
	 * they're pushed out last.
	 */
	private async renew(accepted: QueuedAction[], newMarks: Set<unknown>, useStore: UseStore) {
		const late = accepted.filter(
			(queued) =>
				isNewlyAccepted(queued, newMarks) &&
				!newMarks.has(queued.key) &&
				!this.claimedAt.has(queued.key),
		);
		for (const marks of [late.map(({ key }) => key), late.map(contentMark)]) {
			await this.remove(marks, useStore);
			await this.add(marks, useStore);
		}
	}

	/**
	 * Sets keys free, but not what was held for too long: others may have stopped waiting, so it
	 * stays uncertain.
	 */
	private async release(releases: QueuedAction[], newMarks: Set<unknown>, useStore: UseStore) {
		const removed: string[] = [];
		for (const { key, content, reject } of releases) {
			const heldMs = this.clock.now() - (this.claimedAt.get(key) ?? -Infinity);
			if (heldMs <= this.holdMs) removed.push(...marksToRemove({ key, content }, newMarks));
			else reject(new Error('it was held for longer than its request may take'));
		}
		await this.remove(removed, useStore);
		// Those that were rejected above stay so.
		for (const { resolve } of releases) resolve('claimed');
	}

	/**
	 * Finds out what became of keys that aren't free.
	 * @param newMarks of the claims: one of a key's two marks may have been there, and the other not
	 */
	private async resolveTaken(claims: QueuedAction[], newMarks: Set<unknown>, useStore: UseStore) {
		const newEnds = await this.add(claims.flatMap(endMarks), useStore);
		const ofClaims = claims.flatMap((claim) => marksToAdd('claim', claim));
		// A look leaves no marks.
		const looks = [...newEnds, ...ofClaims.filter((mark) => newMarks.has(mark))];
		await this.remove(looks, useStore);

		for (const claim of claims) claim.resolve(foundBy(claim, newMarks, newEnds));
	}

	/** @returns what wasn't there before */
	private async add(marks: string[], useStore: UseStore, maxEntries?: number) {
		if (marks.length === 0) return new Set<string>();
		const options = { ...ENTRIES_MODE, maxEntries };
		const query = async () => await this.store.checkProcessedAndRecord(marks, 'node', options);
		// If a query failed only after its effect, nothing is new for the second one: keys are
		// uncertain then, at worst.
		const { new: newMarks } = await useStore(query);
		this.addedCount += newMarks.length;
		return new Set(newMarks.map(String));
	}

	private async remove(marks: string[], useStore: UseStore): Promise<void> {
		for (let start = 0; start < marks.length; start += REMOVED_AT_ONCE) {
			const some = marks.slice(start, start + REMOVED_AT_ONCE);
			await useStore(async () => await this.store.removeProcessed(some, 'node', ENTRIES_MODE));
			this.addedCount -= some.length;
			// n8n's event loop goes on.
			await this.clock.sleep(0);
		}
	}
}

const WAITS =
	"waiting for the lock of n8n's key store, which another process of n8n holds. If that process " +
	'was killed, this takes up to a minute, and then the messages are sent';

const UNSAVED = twoLines`'Send Once Key' needs a saved workflow
	n8n keeps the keys under the ID of the workflow, and this workflow has none yet. Save the \
		workflow, then run it again`;

/**
 * The store for these items' keys, if they have any.
 * @throws RunRejected without a saved workflow, and for more than it keeps
 */
export function openKeyStore(
	context: IExecuteFunctions,
	ledger: Ledger,
	items: PlannedItem[],
	ended: EndedKey[],
	timeoutMs: number,
): KeyStore | undefined {
	const messages = messagesToSend(items);
	const count = messages.reduce(
		(sum, message) => sum + ledger.keysOf(message).length,
		ended.length,
	);
	if (count === 0) return undefined;
	const { id: workflowId } = context.getWorkflow();
	if (!workflowId) throw misconfigured(UNSAVED);
	if (count > KEPT_KEYS) {
		// In a retry, each message has a key for itself, next to the user's.
		const keyed = messages.length + ended.length;
		const most = Math.floor((KEPT_KEYS * keyed) / count);
		throw new RunRejected(twoLines`This step has ${keyed} messages, more than the ${most} that it \
				can keep from being sent twice
			Run the workflow with at most ${most} of these items at a time, and without those that \
				were accepted already`);
	}
	const holdMs = timeoutMs + HOLD_MARGIN_MS;
	const { logger } = context;
	const onWait = (text: string) => logger.warn(`${context.getNode().name}: ${text}`);
	return new KeyStore(context.helpers, systemClock, workflowId, KEPT_KEYS, holdMs, onWait);
}
