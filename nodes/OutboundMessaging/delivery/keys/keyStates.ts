/**
 * What is kept of a send-once key, as entries in n8n's deduplication store, and what they mean:
 *
 *   entries               state       a claim or look finds  accept    markUncertain  release    a look or release that is killed leaves
 *   none                  free        claimed                accepted  uncertain      free       unclear
 *   key                   in flight   inFlight               accepted  uncertain      free       unclear; uncertain
 *   key, ended            uncertain   uncertain              accepted  uncertain      uncertain  unclear; uncertain
 *   key, ended, accepted  accepted    alreadySent            accepted  accepted       accepted   unclear; accepted
 *   and looked at         unclear     uncertain              unclear   unclear        unclear    unclear
 *
 * The store can't be asked for an entry without adding it. So a look adds all of them, and removes what was new. Whoever
 * is killed in between leaves the key unclear, never free or accepted. Claim, accept and markUncertain are one call each:
 * a kill leaves the state before or after it. A message that goes well only adds entries, since n8n searches all of them
 * for each one that is removed.
 */
type KeyEntry = 'key' | 'ended' | 'accepted' | 'looked at';

/** The most entries that a key has when no process was killed. */
export const ENTRIES_PER_KEY = 3;

/** `prepare` only waits for the lock. */
export type KeyAction = 'prepare' | 'claim' | 'look' | 'accept' | 'markUncertain' | 'release';

/** What each action adds. A claim finds out whether the key is free, and nothing else. */
const ADDED: Record<KeyAction, readonly KeyEntry[]> = {
	prepare: [],
	claim: ['key'],
	look: ['key', 'ended', 'accepted', 'looked at'],
	accept: ['key', 'ended', 'accepted'],
	markUncertain: ['key', 'ended'],
	release: ['ended'],
};

export type Found = 'claimed' | 'inFlight' | 'alreadySent' | 'uncertain';

const written = (entry: KeyEntry, key: string) => (entry === 'key' ? key : `\u0000${entry} ${key}`);

export const entriesAdded = (action: KeyAction, key: string) =>
	ADDED[action].map((entry) => written(entry, key));

/** @param fresh what was new. @returns what the key's entries mean to whoever asked, and which of them have to go */
export function interpret(
	action: KeyAction,
	key: string,
	fresh: ReadonlySet<unknown>,
): { found?: Found; removed: string[] } {
	const isNew = (entry: KeyEntry) => fresh.has(written(entry, key));
	const write = (entries: KeyEntry[]) => entries.map((entry) => written(entry, key));
	if (action === 'claim') return { found: isNew('key') ? 'claimed' : 'inFlight', removed: [] };
	if (action === 'release') return { removed: write(isNew('ended') ? ['key', 'ended'] : []) };
	if (action !== 'look') return { removed: [] };
	const removed = write((['ended', 'accepted', 'looked at'] as const).filter(isNew));
	if (isNew('key')) return { found: 'claimed', removed };
	if (!isNew('looked at')) return { found: 'uncertain', removed };
	if (!isNew('accepted')) return { found: 'alreadySent', removed };
	return { found: isNew('ended') ? 'inFlight' : 'uncertain', removed };
}
