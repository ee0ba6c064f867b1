import type { Clock } from './clock';
import { asKeyStoreError, KeyStoreError } from './keyStoreError';
import type { Claim } from './keyStore';
import type { Lines } from './mutex';
import { withMutex } from './mutex';
import type { HeldLock, Store } from './storeLock';
import { LOCK_WAIT_MS, StoreLock } from './storeLock';

/** How long an operation may take in total before it is given up: the wait for its turn and for the lock, and its work. */
const OPERATION_MS = LOCK_WAIT_MS + 60_000;
/** How often those that wait are asked whether they still want to. */
const POLL_MS = 200;
const RETRY_MS = 1_000;

const KEYS = { mode: 'entries' } as const;
/** Counting reads all entries of the node: it's done after the first claim, and again after this share of the kept keys. */
const TRIM_AFTER = 1 / 40;
/** Accepted or uncertain, a key is two entries; those that others waited for have a few more. */
const ENTRIES_PER_KEY = 2;
const MOST_ENTRIES_PER_KEY = 2.2;

/** The round of a key is a number from 1 to 63, written in binary: an entry for each bit that is set. 0: it has none. */
const ROUND_BITS = [1, 2, 4, 8, 16, 32] as const;
const LAST_ROUND = 63;

type Entry =
	| 'key'
	| 'looked at'
	| 'accepted'
	| 'uncertain'
	| 'taken over'
	| (typeof ROUND_BITS)[number];

/** The entries of a key as they are written. A key that begins like one of the others is marked as a key. */
function written(entry: Entry, key: string): string {
	if (entry === 'key') return key.startsWith('\u0000') ? `\u0000key ${key}` : key;
	return `\u0000${typeof entry === 'number' ? `round ${entry}` : entry} ${key}`;
}

/** What tells how a claimed key ended. To find out, all of it is added, and what was new is removed again. */
const STATE = ['looked at', 'accepted', 'uncertain'] as const;
const EVERYTHING = ['key', ...STATE, 'taken over', ...ROUND_BITS] as const;
/** What an accepted key no longer needs: accepted is final. */
const LEFTOVERS = ['looked at', 'uncertain', 'taken over', ...ROUND_BITS] as const;

/** What an operation adds to the store: to change it, or only to look. */
const ADDED: Record<Wish['kind'], readonly Entry[]> = {
	check: [],
	/** Finds out whether the key is free, and nothing else. */
	claim: ['key'],
	/** Finds out whether it's accepted, and nothing else: there is little to remove again. */
	look: ['looked at', 'accepted'],
	/** A claim of a key that is neither. */
	wait: ['key', ...STATE, ...ROUND_BITS],
	reclaim: EVERYTHING,
	accept: ['key', 'accepted'],
	uncertain: EVERYTHING,
	release: EVERYTHING,
};

/** What is asked for: `check` asks for nothing but the lock. */
interface Wish {
	kind: 'check' | 'claim' | 'look' | 'wait' | 'reclaim' | 'accept' | 'uncertain' | 'release';
	key: string;
	/** What is in flight now counts as uncertain, if it's still in the round that it was in at the look before. */
	isLastLook?: boolean;
	/** For what waits: the round at the look before. */
	round?: number;
	/** For what ends: whoever asks has taken the key over, in this round. */
	takenOverIn?: number;
	shouldStop?(): boolean;
}

/** In flight elsewhere. A round other than at the look before: it was claimed again since. */
interface InFlight {
	round: number;
}

/** Claimed by reclaim, in this round: in a later one it's another's. */
interface TakenOver {
	takenOverIn: number;
}

/** `askFurther`: a claim or a look hasn't found out what the key is. */
type Found = Claim | InFlight | TakenOver | 'askFurther';

interface Operation extends Wish {
	giveUpAt: number;
	/** Without an answer for those that only change something. */
	resolve(found?: Found): void;
	reject(error: KeyStoreError): void;
}

/** Within this process, one change of a node's entries waits for the one before. */
const lines: Lines = new Map();

/**
 * The entries of a key in n8n's deduplication store, and what they mean:
 *
 *   no key           free
 *   key alone        in flight: claimed, and not known to have ended
 *   and accepted     accepted, whatever happened before
 *   and uncertain    uncertain
 *   and looked at    in flight: whoever looked was killed, and the other entries are from that look
 *
 * A message that goes well only adds entries: to remove one, n8n searches all of them, which takes half a millisecond in
 * a full store. Some keys have more:
 *
 *   taken over     an uncertain key was sent again: whoever claimed it first may not release it any more
 *   round          counts how often a key that others wait for was released or taken over. Whoever waits leaves round 1
 *                  if there is none. If the round has changed, another execution has claimed the key between two looks,
 *                  and its message isn't as old as the wait. Whoever took it over in an earlier round may not end it
 *                  any more
 *
 * The store reads, changes and writes all entries of a node at once, and can't be asked for an entry without adding
 * it. So whatever is asked for while others work is done together, under a lock: everything that may be new is added in
 * one call, and what was added only to look is removed again. Killed in between, a process leaves the keys of that call
 * in flight, never free or accepted.
 */
export class KeyQueue {
	private readonly waiting = new Set<Operation>();
	private readonly lock: StoreLock;
	private isScheduled = false;
	private isWatched = false;
	/** More than TRIM_AFTER at first: the first claim trims. */
	private claimsSinceTrim: number;
	pushedOut = 0;

	/**
	 * @param line one name for all that change the same entries in this process
	 * @param keptKeys how many of the newest keys are kept at least
	 */
	constructor(
		private readonly store: Store,
		private readonly clock: Clock,
		private readonly line: string,
		private readonly keptKeys: number,
	) {
		this.lock = new StoreLock(store, clock);
		this.claimsSinceTrim = keptKeys;
	}

	/** @throws KeyStoreError */
	async add(wish: Wish): Promise<Found | undefined> {
		return await new Promise((resolve, reject) => {
			this.enqueue({ ...wish, giveUpAt: this.clock.now() + OPERATION_MS, resolve, reject });
		});
	}

	private enqueue(operation: Operation): void {
		this.waiting.add(operation);
		this.schedule();
		if (!this.isWatched) void this.watch();
	}

	private schedule(): void {
		if (this.isScheduled) return;
		this.isScheduled = true;
		void withMutex(lines, this.line, async () => await this.flush());
	}

	/** Those that wait for their turn may give up. */
	private async watch(): Promise<void> {
		this.isWatched = true;
		while (this.waiting.size > 0) {
			await this.clock.sleep(POLL_MS);
			for (const operation of this.waiting) this.mayGiveUp(operation);
		}
		this.isWatched = false;
	}

	private mayGiveUp(operation: Operation): boolean {
		if (operation.shouldStop?.()) operation.resolve('stopped');
		else if (this.clock.now() >= operation.giveUpAt) operation.reject(tooLate());
		else return false;
		this.waiting.delete(operation);
		return true;
	}

	private async flush(): Promise<void> {
		let batch: Operation[] | undefined;
		try {
			const work = async (lock: HeldLock) => {
				batch = this.takeBatch();
				this.isScheduled = false;
				await this.apply(batch, lock);
			};
			await this.lock.hold(work, () => this.waiting.size > 0);
		} catch (error) {
			// Without the lock nothing was begun, and all that waited for it fail with the same words.
			for (const operation of batch ?? this.waiting) {
				this.waiting.delete(operation);
				operation.reject(asKeyStoreError(error));
			}
		}
		if (batch === undefined) this.isScheduled = false;
		// Some came too late for the lock, or wait for a key that was part of the batch.
		if (this.waiting.size > 0) this.schedule();
	}

	/** Everything that waits, but one operation for each key: the next one depends on what becomes of the first. */
	private takeBatch(): Operation[] {
		const batch = new Map<string, Operation>();
		for (const operation of this.waiting) {
			if (batch.has(operation.key) || this.mayGiveUp(operation)) continue;
			batch.set(operation.key, operation);
			this.waiting.delete(operation);
		}
		return [...batch.values()];
	}

	private async apply(batch: Operation[], lock: HeldLock): Promise<void> {
		const added = batch.flatMap(({ kind, key }) => ADDED[kind].map((entry) => written(entry, key)));
		let fresh = new Set<unknown>();
		try {
			if (added.length > 0) {
				const check = async () => await this.store.checkProcessedAndRecord(added, 'node', KEYS);
				fresh = new Set((await lock.run(check)).new);
			}
		} catch (error) {
			for (const operation of batch) this.fail(operation, error);
			return;
		}
		const results = batch.map((operation) => ({
			operation,
			...interpret(operation, (entry) => fresh.has(written(entry, operation.key))),
		}));
		for (const { operation, found, undo } of results) {
			if (undo.length === 0) operation.resolve(found);
		}
		const undone = results.filter(({ undo }) => undo.length > 0);
		try {
			if (undone.length > 0) {
				const entries = undone.flatMap(({ operation: { key }, undo }) =>
					undo.map((entry) => written(entry, key)),
				);
				await lock.run(async () => await this.store.removeProcessed(entries, 'node', KEYS));
			}
			for (const { operation, found } of undone) operation.resolve(found);
		} catch (error) {
			for (const { operation, found } of undone) {
				// What was added only to look must not stay.
				if (found === 'alreadySent') {
					this.add({ kind: 'accept', key: operation.key, takenOverIn: 0 }).catch(() => {});
				}
				if (found === 'alreadySent' || found === 'uncertain') operation.resolve(found);
				else this.fail(operation, error);
			}
		}
		const claims = results.filter(({ found }) => found === 'claimed').length;
		this.claimsSinceTrim += claims;
		const isFull = this.claimsSinceTrim > this.keptKeys * TRIM_AFTER;
		if (claims > 0 && isFull) await this.trim(lock);
	}

	/** Only what has the same result when it is done twice is tried again: a key that was released may be another's. */
	private fail(operation: Operation, error: unknown): void {
		if (operation.kind === 'accept' && this.clock.now() + RETRY_MS < operation.giveUpAt) {
			void this.clock.sleep(RETRY_MS).then(() => this.enqueue(operation));
		} else {
			operation.reject(asKeyStoreError(error));
		}
	}

	private async trim(lock: HeldLock): Promise<void> {
		const maxEntries = Math.round(this.keptKeys * MOST_ENTRIES_PER_KEY);
		try {
			const count = await lock.run(
				async () => await this.store.getProcessedDataCount('node', KEYS),
			);
			if (count > maxEntries) {
				const options = { ...KEYS, maxEntries };
				await lock.run(async () => await this.store.checkProcessedAndRecord([], 'node', options));
				this.pushedOut += Math.ceil((count - maxEntries) / ENTRIES_PER_KEY);
			}
			this.claimsSinceTrim = 0;
		} catch {
			// The next claim tries again.
		}
	}
}

/**
 * @param isNew whether the operation added an entry that wasn't there
 * @returns what the entries of the key mean for whoever asks, and which of them have to go
 */
function interpret(
	{ kind, isLastLook, takenOverIn, round: roundBefore }: Wish,
	isNew: (entry: Entry) => boolean,
): { found?: Found; undo: Entry[] } {
	if (kind === 'check') return { undo: [] };
	if (kind === 'claim') return { found: isNew('key') ? 'claimed' : 'askFurther', undo: [] };
	if (kind === 'accept') {
		// If it isn't new, it may be from a look that was killed.
		const hasLeftovers = takenOverIn !== undefined || !isNew('accepted');
		return { undo: hasLeftovers ? [...LEFTOVERS] : [] };
	}
	const looked = ADDED[kind].filter(isNew);
	const isClear = isNew('looked at');
	const isAccepted = isClear && !isNew('accepted');
	if (kind === 'look') {
		return isAccepted
			? { found: 'alreadySent', undo: ['looked at'] }
			: { found: 'askFurther', undo: looked };
	}
	const isUncertain = isClear && !isAccepted && !isNew('uncertain');
	const round = ROUND_BITS.reduce((sum, bit) => (isNew(bit) ? sum : sum + bit), 0);
	const nextRound = round && (round % LAST_ROUND) + 1;
	const newBits = ROUND_BITS.filter(isNew);
	const notOfNextRound = ROUND_BITS.filter((bit) => (nextRound & bit) === 0);
	if (kind === 'release') {
		const isOurs = isClear && !isAccepted && !isUncertain && isNew('taken over');
		return { undo: isOurs ? ['key', ...STATE, 'taken over', ...notOfNextRound] : looked };
	}
	if (kind === 'uncertain') {
		const isOthers = !isNew('taken over') && takenOverIn !== (round || 1);
		const isOver = isAccepted || isOthers;
		return { undo: isOver ? looked : ['looked at', 'accepted', 'taken over', ...newBits] };
	}
	if (kind === 'reclaim' && (isNew('key') || isUncertain)) {
		return { found: { takenOverIn: nextRound || 1 }, undo: [...STATE, ...notOfNextRound] };
	}
	if (isNew('key')) return { found: 'claimed', undo: [...STATE, ...newBits] };
	if (isAccepted) return { found: 'alreadySent', undo: [...LEFTOVERS] };
	if (isUncertain) return { found: 'uncertain', undo: looked };
	// Whoever is the first to wait leaves round 1.
	const undo = looked.filter((entry) => entry !== 1 || round > 0);
	const roundNow = round || 1;
	// It is uncertain from now on, and one of those that send it again can take it.
	return isLastLook && roundNow === roundBefore
		? {
				found: 'uncertain',
				undo: ['looked at', 'accepted', ...undo.filter((entry) => entry !== 'uncertain')],
			}
		: { found: { round: roundNow }, undo };
}

function tooLate(): KeyStoreError {
	return new KeyStoreError(`n8n's key store wasn't available for ${OPERATION_MS / 1000} seconds`);
}
