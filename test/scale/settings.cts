/**
 * How n8n is set up in queue mode: the one list that the scale run uses and that examples/queue-mode repeats
 * (a test compares them). URLs and passwords are not in here: they differ from place to place.
 */

/** Every n8n process. */
const everyProcess = {
	EXECUTIONS_MODE: 'queue',
	DB_TYPE: 'postgresdb',
	// Two connections per process are n8n's default; a worker with several jobs at a time waits for them.
	DB_POSTGRESDB_POOL_SIZE: '10',
	// A worker that is gone is noticed after 30 to 45 seconds.
	QUEUE_WORKER_LOCK_DURATION: '30000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '15000',
};

const settings = {
	main: {
		// Webhooks are for the webhook process, executions for the workers.
		N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
	},
	webhook: {
		// Megabytes of one webhook call: a list of 20,000 customers has about 2.
		N8N_PAYLOAD_SIZE_MAX: '64',
	},
	worker: {
		// Executions at a time in one worker.
		N8N_CONCURRENCY_PRODUCTION_LIMIT: '5',
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		// Seconds that a worker has to end its executions when it is told to stop.
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '300',
	},
};

/** Jobs must outlive a restart of Redis, and must never be thrown out to make room. */
export const redis = ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction'];

export type ProcessKind = keyof typeof settings;

export const processes = Object.keys(settings) as ProcessKind[];

export const settingsOf = (kind: ProcessKind): Record<string, string> => ({
	...everyProcess,
	...settings[kind],
});
