/** How much of everything: in full for `npm run scale`, small for the run of all tests. */
export const sizes = {
	full: {
		campaign: {
			recipients: Number(process.env.SCALE_RECIPIENTS ?? 100_000),
			more: 500,
			kill: { everyMs: 20_000 },
			waveEveryMs: 15_000,
			wave: 100,
			latency: 100,
			timeoutMs: 1_800_000,
		},
		list: { executions: 50, perExecution: 100, batch: 50, steps: 5 },
		sendOnce: { pairs: 200, wave: 5 },
		large: { sizes: [5_000, 10_000, 20_000], latency: 0 },
		pacing: { executions: 4, messages: 100, perSecond: 10 },
		kill: { executions: 5, batch: 50, latency: 300 },
		leave: { executions: 10, batch: 50, latency: 300 },
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
			claimAgainAfter: '20 seconds',
			timeoutMs: 300_000,
		},
		list: { executions: 10, perExecution: 50, batch: 25, steps: 1 },
		sendOnce: { pairs: 15, wave: 5 },
		large: { sizes: [500, 1_500], latency: 300 },
		pacing: { executions: 4, messages: 30, perSecond: 10 },
		kill: { executions: 5, batch: 20, latency: 300 },
		leave: { executions: 10, batch: 20, latency: 300 },
	},
};
