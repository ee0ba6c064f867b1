/**
 * What is kept of a send-once key: entries in n8n's deduplication store, which together are its
 * state. What a claim finds, what the other actions make of it, and what a claim or a release
 * leaves if n8n is killed meanwhile:
 *
 * state      entries         claim        accept    mark       release    killed     killed
 *                                                   Uncertain             in claim   in release
 * free       none            claimed      accepted  uncertain  free       in flight  -
 * in flight  taken           inFlight     accepted  uncertain  free       unclear    uncertain
 * uncertain  taken, ended    uncertain    accepted  uncertain  uncertain  unclear    uncertain
 * accepted   taken, ended,   alreadySent  accepted  accepted   accepted   unclear    accepted
 *            accepted
 * unclear    any, looked at  uncertain    unclear   unclear    unclear    unclear    unclear
 *
 * A key is taken while any of two entries is there: its own, and that of its content. The store
 * drops its oldest entries first. So when a key is accepted that has been uncertain, these two are
 * removed and added again, one after the other.
 *
 * The store can't be asked for an entry without adding it. So a claim of a key that isn't free adds
 * all marks, and removes those that were new. Accept and markUncertain are one call each: a kill
 * leaves the state before or after it. A message that goes well only adds entries, since n8n
 * searches all of them for each one that is removed.
 */
type KeyEntry = 'key' | 'content' | Mark;
type Mark = 'ended' | 'accepted' | 'looked at';

/** The most entries that an action leaves of a key. */
export const ENTRIES_PER_KEY = 4;

/**
 * A key, and for a retry's key the content of its message. Another retry that finds the key taken,
 * but not its own content, has another message; one that finds its content taken under another key
 * has the same message.
 */
export interface Key {
	key: string;
	content?: string;
}

/** `prepare` changes no key: it only shows that the store works. */
export type KeyAction = 'prepare' | 'claim' | 'accept' | 'markUncertain' | 'release';

/** What each action adds. A claim that finds the key taken adds the marks next. */
const ADDED: Record<KeyAction, KeyEntry[]> = {
	prepare: [],
	claim: ['key', 'content'],
	accept: ['key', 'content', 'ended', 'accepted'],
	markUncertain: ['key', 'content', 'ended'],
	release: ['ended'],
};
const MARKS: Mark[] = ['ended', 'accepted', 'looked at'];

/** What has the key of a claim: nothing, this very message, or another one in its place. */
export type Found = 'claimed' | Taken | (typeof OTHER)[Taken];
type Taken = 'inFlight' | 'alreadySent' | 'uncertain';

export const OTHER = {
	inFlight: 'otherInFlight',
	alreadySent: 'otherSent',
	uncertain: 'otherUncertain',
} as const;

/** What a claim finds, by the marks of a key that isn't free. With any others, it's unclear. */
const FOUND_BY_MARKS: Partial<Record<string, Taken>> = {
	'': 'inFlight',
	ended: 'uncertain',
	'ended, accepted': 'alreadySent',
	// Its other entries are older, and pushed out of the store.
	accepted: 'alreadySent',
};

function written(entry: KeyEntry, { key, content = key }: Key): string {
	if (entry === 'key') return key;
	return `\u0000${entry} ${entry === 'content' ? content : key}`;
}

export const entriesAdded = (action: KeyAction, key: Key) =>
	ADDED[action].map((entry) => written(entry, key));

export const contentMark = (key: Key) => written('content', key);

export const marksOf = (key: Key) => MARKS.map((mark) => written(mark, key));

/** @param fresh what an acceptance has added */
export const isNewlyAccepted = (key: Key, fresh: ReadonlySet<unknown>) =>
	fresh.has(written('accepted', key));

/** @param fresh the marks that weren't there before */
export function foundTaken(key: Key, fresh: ReadonlySet<unknown>): Taken {
	const marks = MARKS.filter((mark) => !fresh.has(written(mark, key)));
	return FOUND_BY_MARKS[marks.join(', ')] ?? 'uncertain';
}

/**
 * What a release has to remove: nothing if the key was no longer in flight.
 * @param fresh what wasn't there before
 */
export const entriesReleased = (key: Key, fresh: ReadonlySet<unknown>) =>
	fresh.has(written('ended', key)) ? entriesAdded('markUncertain', key) : [];
