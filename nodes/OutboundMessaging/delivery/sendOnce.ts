import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { locked } from './storeLock';

/** How many keys a node keeps; n8n forgets the oldest first. Every claim reads and writes all of them: with more, it would hold n8n up. */
export const KEPT_KEYS = 20_000;

const STORE = { mode: 'entries', maxEntries: KEPT_KEYS } as const;

/**
 * Claims keys in n8n's own deduplication store, so that a message with a claimed key is not sent again, in a later
 * execution either. The store reads, changes and writes one list per node, so everything that touches it stands in
 * one line within this process and takes a lock against the others; what is asked for meanwhile goes in one group.
 */
export class SendOnce {
	private readonly claims: Group<boolean>;
	private readonly releases: Group<void>;

	/** @throws NodeOperationError when the workflow has no ID yet to keep the keys under */
	constructor(context: IExecuteFunctions) {
		const { id: workflowId } = context.getWorkflow();
		const node = context.getNode();
		if (!workflowId) {
			throw new NodeOperationError(node, 'Send Once Key needs a saved workflow', {
				description:
					'n8n keeps the keys under the ID of the workflow, and this one has none yet. Save the workflow and run it again. Nothing was sent.',
				failure: { cause: 'configuration-invalid' },
			});
		}
		const { helpers } = context;
		const inTurn = async (work: () => Promise<void>) =>
			await inLine(workflowId, async () => await locked(helpers, work));
		this.claims = new Group(inTurn, async (keys) => {
			const { new: fresh } = await helpers.checkProcessedAndRecord(keys, 'node', STORE);
			const ours = new Set(fresh);
			return keys.map((key) => ours.has(key));
		});
		this.releases = new Group(inTurn, async (keys) => {
			await helpers.removeProcessed(keys, 'node', STORE);
			return [];
		});
	}

	/** @returns false when the key was claimed before */
	async claim(key: string): Promise<boolean> {
		return await this.claims.add(key);
	}

	async release(key: string): Promise<void> {
		await this.releases.add(key);
	}
}

/** Collects keys while the line is busy, and works on them all at once when its turn comes. */
class Group<T> {
	private waiting: Array<{ key: string; resolve(value: T): void; reject(error: unknown): void }> =
		[];

	constructor(
		private readonly inTurn: (work: () => Promise<void>) => Promise<void>,
		private readonly work: (keys: string[]) => Promise<T[]>,
	) {}

	async add(key: string): Promise<T> {
		return await new Promise<T>((resolve, reject) => {
			this.waiting.push({ key, resolve, reject });
			if (this.waiting.length === 1) void this.inTurn(async () => await this.flush());
		});
	}

	private async flush(): Promise<void> {
		const group = this.waiting;
		this.waiting = [];
		try {
			const results = await this.work(group.map(({ key }) => key));
			group.forEach(({ resolve }, index) => resolve(results[index]));
		} catch (error) {
			for (const { reject } of group) reject(error);
		}
	}
}

/** The end of the line of each workflow in this process. */
const lines = new Map<string, Promise<void>>();

async function inLine(line: string, work: () => Promise<void>): Promise<void> {
	const turn = (lines.get(line) ?? Promise.resolve()).then(work);
	lines.set(line, turn);
	await turn;
	if (lines.get(line) === turn) lines.delete(line);
}
