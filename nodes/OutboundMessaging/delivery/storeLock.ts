import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

type Store = IExecuteFunctions['helpers'];

const HELD = 'outboundMessaging.lock';
const ENTRIES = { mode: 'entries' } as const;

/** Milliseconds between two looks at a lock that is taken, by chance within these bounds. */
const LOOK = { least: 10, most: 40 };
/** A lock that is taken for longer belongs to a process that was killed; work under it takes a fraction of a second. */
const ABANDONED = { least: 30_000, most: 45_000 };
/** Losing the race for an insert is an error of the database, once; one after the other means something else. */
const ERRORS_IN_A_ROW = 5;

/**
 * Does work that no other process of n8n does at the same time: other workers, other main processes. n8n gives nodes
 * no lock, but its deduplication store has one row for a workflow and one for each node, and a row can be inserted
 * only once: who inserts the workflow's row holds the lock, and deletes it afterwards. Where that row is in use by
 * another node (Remove Duplicates with the scope "workflow"), the work goes on without a lock.
 */
export async function locked<T>(store: Store, work: () => Promise<T>): Promise<T> {
	const ours = await acquire(store);
	try {
		return await work();
	} finally {
		if (ours) await release(store);
	}
}

/** @returns false when there can be no lock */
async function acquire(store: Store): Promise<boolean> {
	const abandonedAt = performance.now() + between(ABANDONED);
	for (let errors = 0; errors < ERRORS_IN_A_ROW; ) {
		try {
			const { new: fresh } = await store.checkProcessedAndRecord([HELD], 'workflow', ENTRIES);
			if (fresh.length > 0) return await isAlone(store);
			errors = 0;
			if (performance.now() > abandonedAt) await release(store);
		} catch {
			errors++;
		}
		await sleep(between(LOOK));
	}
	return false;
}

/** A row with more in it than the lock is not ours: the mark goes, the rest stays. */
async function isAlone(store: Store): Promise<boolean> {
	if ((await store.getProcessedDataCount('workflow', ENTRIES)) === 1) return true;
	await store.removeProcessed([HELD], 'workflow', ENTRIES);
	return false;
}

async function release(store: Store): Promise<void> {
	try {
		if (await isAlone(store)) await store.clearAllProcessedItems('workflow', ENTRIES);
	} catch {
		// The others take it for abandoned after a while.
	}
}

function between({ least, most }: { least: number; most: number }): number {
	return least + Math.random() * (most - least);
}
