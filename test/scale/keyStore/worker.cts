/** One process that claims keys, with n8n's own deduplication store on PostgreSQL. Driven by messages of its parent. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
	openKeyStore,
	type Claim,
} from '../../../nodes/OutboundMessaging/delivery/keys/keyStore.ts';
import type { Store } from '../../../nodes/OutboundMessaging/delivery/keys/storeLock.ts';
import { fromN8n } from '../../n8n/release.cts';

/** What a process is told to do. */
export interface Order {
	keys: string[];
	waitMs: number;
	/** Sent by the process to itself, once, in the middle of a change that it makes under the lock. */
	signal?: NodeJS.Signals;
}

/** What it reports, of itself or of a key. */
export interface Report {
	what: 'ready' | 'stopping' | 'done' | Claim | 'asking' | 'marked' | 'failed';
	key?: string;
}

type Context = Parameters<typeof openKeyStore>[0];

const MAX_CONCURRENCY = 10;
const WORKFLOW = { id: 'workflow', active: true };
const NODE = { id: 'node' };

/** The signal that this process sends to itself right between reading the keys and writing them. */
let signalAtWork: NodeJS.Signals | undefined;

const report = (message: Report) => process.send?.(message);

async function connect(): Promise<Store> {
	const { DataSource } = fromN8n('@n8n/typeorm');
	const { Container } = fromN8n('@n8n/di');
	const { ProcessedData, ProcessedDataRepository } = fromN8n('@n8n/db');
	const dataSource = new DataSource({
		type: 'postgres',
		host: process.env.DB_POSTGRESDB_HOST,
		port: Number(process.env.DB_POSTGRESDB_PORT),
		username: process.env.DB_POSTGRESDB_USER,
		database: process.env.DB_POSTGRESDB_DATABASE,
		entities: [ProcessedData],
		// As many connections as n8n has by default.
		poolSize: 2,
		poolErrorHandler: () => {},
	});
	await dataSource.initialize();
	const repository = new ProcessedDataRepository(dataSource);
	const update = repository.update.bind(repository);
	repository.update = async (...args: unknown[]) => {
		const [{ context }] = args as [{ context: string }];
		if (signalAtWork !== undefined && context !== '') {
			const signal = signalAtWork;
			signalAtWork = undefined;
			report({ what: 'stopping' });
			// Sent before it pauses.
			await sleep(20);
			process.kill(process.pid, signal);
		}
		return await update(...args);
	};
	Container.set(ProcessedDataRepository, repository);

	fromN8n('n8n-core').DataDeduplicationService.init(
		fromN8n('n8n/dist/deduplication').getDataDeduplicationService(),
	);
	const { getDeduplicationHelperFunctions } = fromN8n(
		'n8n-core/dist/execution-engine/node-execution-context/utils/deduplication-helper-functions',
	);
	return getDeduplicationHelperFunctions(WORKFLOW, NODE);
}

/** Sends a list as the node does: each key is claimed, sent and marked. */
async function work(store: Store, { keys, waitMs, signal }: Order): Promise<void> {
	const keyStore = openKeyStore(
		{ getWorkflow: () => WORKFLOW, helpers: store } as unknown as Context,
		keys.map((sendOnceKey) => ({ sendOnceKey })),
		waitMs,
	);
	signalAtWork = signal;
	const left = [...keys];
	const lane = async () => {
		for (let key = left.shift(); key !== undefined; key = left.shift()) {
			try {
				report({ what: 'asking', key });
				const claim = await keyStore.claim(key, () => false);
				report({ what: claim, key });
				if (claim !== 'claimed') continue;
				await sleep(5 + Math.random() * 50);
				await keyStore.end('accept', key);
				report({ what: 'marked', key });
			} catch {
				report({ what: 'failed', key });
			}
		}
	};
	await Promise.all(Array.from({ length: MAX_CONCURRENCY }, lane));
	report({ what: 'done' });
}

process.once('disconnect', () => process.exit());
// A connection that breaks while nothing listens to it ends neither n8n nor this.
process.on('uncaughtException', (error) => console.error(error.message));
void connect().then((store) => {
	process.on('message', (order: Order) => void work(store, order));
	report({ what: 'ready' });
});
