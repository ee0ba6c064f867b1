export const form = process.env.SCALE_FORM === 'full' ? 'full' : 'quick';

/** Small, or with SCALE_FORM=full in full, which writes the figures of bench/SCALE.md. */
const either = <T, U>(full: T, small: U) => (form === 'full' ? full : small);

/** Ended in mid-batch. */
const lists = {
	...either({ perExecution: 100, batch: 50 }, { perExecution: 40, batch: 20 }),
	latency: 300,
};

/** How much of everything. Latencies are those of the service, in ms. */
export const size = {
	campaign: {
		recipients: either(Number(process.env.SCALE_RECIPIENTS ?? 100_000), 200),
		/** Added for the second start. */
		more: either(500, 50),
		/**
		 * SIGKILL to a worker this often; or once, to one that's sending, when this many messages were
		 * accepted: all are in flight then, and no one holds the lock of the keys.
		 */
		kill: either({ everyMs: 20_000 }, { atAccepted: 45 }),
		/** This often, so many requests in a row are answered with 429. */
		waveEveryMs: either(15_000, 10_000),
		wave: either(100, 20),
		latency: either(100, 2_500),
		timeoutMs: either(1_800_000, 300_000),
	},
	sendOnce: either(1_000, 100),
	/** Messages of one execution, in ascending order. */
	large: either(
		{ sizes: [5_000, 10_000, 20_000], latency: 0 },
		{ sizes: [500, 1_500], latency: 300 },
	),
	kill: { executions: 5, ...lists },
	leave: { executions: 10, ...lists },
};
