import { asItLooks } from '../../common/text';
import type { Message } from '../message';

/**
 * What is kept of a send-once key: marks in n8n's deduplication store, which together are its
 * state. What a claim finds, what the other actions make of it, and what a claim or a release
 * leaves if n8n is killed meanwhile:
 *
 * state      marks           claim        accept    mark       release    killed     killed
 *                                                   Uncertain             in claim   in release
 * free       none            claimed      accepted  uncertain  free       in flight  -
 * in flight  taken           inFlight     accepted  uncertain  free       unclear    uncertain
 * uncertain  taken, ended    uncertain    accepted  uncertain  uncertain  unclear    uncertain
 * accepted   taken, ended,   alreadySent  accepted  accepted   accepted   unclear    accepted
 *            accepted
 * unclear    any, looked at  uncertain    unclear   unclear    unclear    unclear    unclear
 *
 * A key is taken while any of two marks is there: its own, and that of its content. The store
 * drops its oldest marks first. So when a key is accepted that has been uncertain, these two are
 * removed and added again, one after the other.
 *
 * The store can't be asked for a mark without adding it. So a claim of a key that isn't free adds
 * all end marks, and removes those that were new. Accept and markUncertain are one query each: a
 * kill leaves the state before or after it. A message that goes well only adds marks, since n8n
 * searches all of them for each one that is removed.
 */
type Mark = 'key' | 'content' | EndMark;
type EndMark = 'ended' | 'accepted' | 'looked at';

/** The most marks that an action leaves of a key. */
export const MARKS_PER_KEY = 4;

/**
 * A key, and for a retry's key the content of its message. Another retry that finds the key taken,
 * but not its own content, has another message; one that finds its content taken under another key
 * has the same message.
 */
export interface Key {
	key: string;
	content?: string;
}

/**
 * The name of a send-once key, of which the user writes the occasion only. A test service's keys
 * don't count for the real one.
 */
export const ownKey = ({ sendOnceKey, recipient, request }: Message): string | undefined =>
	sendOnceKey && `${new URL(request.url).origin} ${recipient} ${asItLooks(sendOnceKey)}`;

/** `prepare` changes no key: it only shows that the store works. */
export type KeyAction = 'prepare' | 'claim' | KeyEnd;
export type KeyEnd = 'accept' | 'markUncertain' | 'release';

/** What each action adds. A claim that finds the key taken adds the end marks next. */
const ADDED: Record<KeyAction, Mark[]> = {
	prepare: [],
	claim: ['key', 'content'],
	accept: ['key', 'content', 'ended', 'accepted'],
	markUncertain: ['key', 'content', 'ended'],
	release: ['ended'],
};
const END_MARKS: EndMark[] = ['ended', 'accepted', 'looked at'];

/** What has the key of a claim: nothing, this very message, or another one in its place. */
export type Found = 'claimed' | Taken | OtherTaken;
type Taken = 'inFlight' | 'alreadySent' | 'uncertain';
type OtherTaken = `other: ${Taken}`;

/** What a claim finds, by the end marks of a key that isn't free. With any others, it's unclear. */
const FOUND_BY_MARKS: Partial<Record<string, Taken>> = {
	'': 'inFlight',
	ended: 'uncertain',
	'ended, accepted': 'alreadySent',
	// Its other marks are older, and pushed out of the store.
	accepted: 'alreadySent',
};

function stored(mark: Mark, { key, content = key }: Key): string {
	if (mark === 'key') return key;
	return `\u0000${mark} ${mark === 'content' ? content : key}`;
}

export const marksToAdd = (action: KeyAction, key: Key) =>
	ADDED[action].map((mark) => stored(mark, key));

export const contentMark = (key: Key) => stored('content', key);

export const endMarks = (key: Key) => END_MARKS.map((mark) => stored(mark, key));

/** @param newMarks by an acceptance: what wasn't there before */
export const isNewlyAccepted = (key: Key, newMarks: ReadonlySet<unknown>) =>
	newMarks.has(stored('accepted', key));

/**
 * What a claim has found of a key that isn't free.
 * @param newMarks of the claim: what wasn't there before
 * @param newEnds the same of the end marks, which were added next
 */
export function foundBy(claim: Key, newMarks: ReadonlySet<unknown>, newEnds: ReadonlySet<unknown>) {
	const marks = END_MARKS.filter((mark) => !newEnds.has(stored(mark, claim)));
	const state = FOUND_BY_MARKS[marks.join(', ')] ?? 'uncertain';
	// Only the content's mark was there, and it's another key's, whose end marks aren't known.
	if (state === 'inFlight' && newMarks.has(claim.key)) return 'uncertain';
	const isOther = claim.content !== undefined && newMarks.has(contentMark(claim));
	return isOther ? (`other: ${state}` as const) : state;
}

/**
 * What a release has to remove: nothing if the key was no longer in flight.
 * @param newMarks of the release: what wasn't there before
 */
export const marksToRemove = (key: Key, newMarks: ReadonlySet<unknown>) =>
	newMarks.has(stored('ended', key)) ? marksToAdd('markUncertain', key) : [];
