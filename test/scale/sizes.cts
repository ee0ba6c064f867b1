/** How much of everything: in full for `npm run scale`, small for the run of all tests. Latencies are those of the service, in ms. */
export const sizes = {
	full: {
		campaign: {
			recipients: Number(process.env.SCALE_RECIPIENTS ?? 100_000),
			/** Added for the second start. */
			more: 500,
			/** SIGKILL to a worker this often; or once, to one that's sending, when this many messages were accepted. */
			kill: { everyMs: 20_000 },
			/** This often, so many requests in a row are answered with 429. */
			waveEveryMs: 15_000,
			wave: 100,
			latency: 100,
			timeoutMs: 1_800_000,
		},
		/** Executions, messages of one execution, and messages of one call of the sub-workflow. */
		list: { executions: 50, perExecution: 100, batch: 50 },
		/** Pairs in all, and those that are called before their moments come. */
		sendOnce: { pairs: 200, wave: 5 },
		// Without the lock, marks get lost, and a key without its mark is waited for.
		sendOnceUnlocked: { pairs: 20, wave: 5 },
		/** Messages of one execution, in ascending order. The list still runs when the first wave of neighbors comes. */
		large: { sizes: [5_000, 10_000, 20_000], latency: 0 },
		/** Messages of each execution. */
		pacing: { executions: 4, messages: 100, perSecond: 10 },
		/** Executions of each kind, with keys and without. */
		kill: { executions: 5, batch: 50, latency: 300 },
		leave: { executions: 10, perExecution: 100, batch: 50, latency: 300 },
		throughput: { executions: 20, perExecution: 100, batch: 50 },
	},
	quick: {
		campaign: {
			recipients: 200,
			more: 50,
			// All are in flight then, and no one holds the lock of the keys.
			kill: { atAccepted: 45 },
			waveEveryMs: 10_000,
			wave: 20,
			latency: 2_500,
			timeoutMs: 300_000,
		},
		list: { executions: 10, perExecution: 50, batch: 25 },
		sendOnce: { pairs: 15, wave: 5 },
		large: { sizes: [500, 1_500], latency: 300 },
		pacing: { executions: 4, messages: 30, perSecond: 10 },
		kill: { executions: 5, batch: 20, latency: 300 },
		leave: { executions: 10, perExecution: 40, batch: 20, latency: 300 },
	},
};

export const form = process.env.SCALE_FORM === 'full' ? 'full' : 'quick';

export const size = sizes[form];
