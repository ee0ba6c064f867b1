/**
 * What is kept of a send-once key: entries in n8n's deduplication store, which together are its state. What a claim finds,
 * what the other actions make of it, and what a claim or a release leaves if n8n is killed meanwhile:
 *
 *   state      entries               claim        accept    markUncertain  release    killed claim  killed release
 *   free       none                  claimed      accepted  uncertain      free       in flight     -
 *   in flight  key                   inFlight     accepted  uncertain      free       unclear       uncertain
 *   uncertain  key, ended            uncertain    accepted  uncertain      uncertain  unclear       uncertain
 *   accepted   key, ended, accepted  alreadySent  accepted  accepted       accepted   unclear       accepted
 *              and in a retry, content
 *   unclear    any, looked at        uncertain    unclear   unclear        unclear    unclear       unclear
 *
 * The store can't be asked for an entry without adding it. So a claim of a key that isn't free adds all marks, and removes
 * those that were new. Accept and markUncertain are one call each: a kill leaves the state before or after it. A message
 * that goes well only adds entries, since n8n searches all of them for each one that is removed.
 */
type KeyEntry = 'key' | Mark;
type Mark = 'ended' | 'accepted' | 'looked at';

/** Besides, an accepted key of a retry has its message's content: another one's isn't it. */
const contentMark = (key: string, content: string) => `\u0000content ${content} ${key}`;

/** The most entries that an action leaves of a key. */
export const ENTRIES_PER_KEY = 3;

/** A key, and in a retry a fingerprint of its message's content. */
export interface Key {
	key: string;
	content?: string;
}

/** `prepare` changes no key: it only shows that the store works. */
export type KeyAction = 'prepare' | 'claim' | 'accept' | 'markUncertain' | 'release';

/** What each action adds. A claim that finds the key taken adds the marks next. */
const ADDED: Record<KeyAction, KeyEntry[]> = {
	prepare: [],
	claim: ['key'],
	accept: ['key', 'ended', 'accepted'],
	markUncertain: ['key', 'ended'],
	release: ['ended'],
};
const MARKS: Mark[] = ['ended', 'accepted', 'looked at'];

export type Found = 'claimed' | 'inFlight' | 'alreadySent' | 'otherSent' | 'uncertain';

/** What a claim finds, by the marks of a key that isn't free. With any others, it's unclear. */
const FOUND_BY_MARKS: Partial<Record<string, Found>> = {
	'': 'inFlight',
	ended: 'uncertain',
	'ended, accepted': 'alreadySent',
};

const written = (entry: KeyEntry, key: string) => (entry === 'key' ? key : `\u0000${entry} ${key}`);

/** @param content of a retry's key only */
export const entriesAdded = (action: KeyAction, { key, content }: Key) => [
	...ADDED[action].map((entry) => written(entry, key)),
	...(action === 'accept' ? contentMarks({ key, content }) : []),
];

export const marksOf = ({ key, content }: Key) => [
	...MARKS.map((mark) => written(mark, key)),
	...contentMarks({ key, content }),
];

const contentMarks = ({ key, content }: Key) =>
	content === undefined ? [] : [contentMark(key, content)];

/** @param fresh the marks that weren't there before */
export function foundTaken({ key, content }: Key, fresh: ReadonlySet<unknown>): Found {
	const marks = MARKS.filter((mark) => !fresh.has(written(mark, key)));
	const found = FOUND_BY_MARKS[marks.join(', ')] ?? 'uncertain';
	const isOther = contentMarks({ key, content }).some((mark) => fresh.has(mark));
	return found === 'alreadySent' && isOther ? 'otherSent' : found;
}

/** What a release has to remove: nothing if the key was no longer in flight. @param fresh what wasn't there before */
export const entriesReleased = (key: string, fresh: ReadonlySet<unknown>) =>
	fresh.has(written('ended', key)) ? [key, written('ended', key)] : [];
