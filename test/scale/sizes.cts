/**
 * How much of everything: in full for `npm run scale`, small for the run of all tests.
 *
 * - `batch`: messages of one call of the sub-workflow
 * - `latency`: of the service, in ms
 * - `campaign.killEveryMs`, `campaign.killAt`: SIGKILL to a worker this often; or once, to one that's sending, when so
 *   many messages were accepted
 * - `campaign.waveEveryMs`: this often, so many requests (`wave`) in a row are answered with 429
 * - `campaign.more`: recipients that are added for the second start
 * - `sendOnce.wave`: pairs that are called before their moments come
 * - `large.messages`: of one execution, in ascending order
 * - `kill.executions`: of each kind, with keys and without
 */
export const sizes = {
	full: {
		campaign: {
			recipients: Number(process.env.SCALE_RECIPIENTS ?? 100_000),
			more: 500,
			killEveryMs: 20_000,
			killAt: Infinity,
			waveEveryMs: 15_000,
			wave: 100,
			latency: 100,
			claimAgainAfter: '30 seconds',
			timeoutMs: 1_800_000,
		},
		list: { executions: 50, perExecution: 100, batch: 50 },
		sendOnce: { pairs: 200, wave: 5 },
		large: { messages: [5_000, 10_000, 20_000], latency: 0 },
		kill: { executions: 5, batch: 50, latency: 300 },
		leave: { executions: 10, batch: 50, latency: 300 },
	},
	quick: {
		campaign: {
			recipients: 200,
			more: 50,
			// All are in flight then, and no one holds the lock of the keys.
			killAt: 45,
			killEveryMs: Infinity,
			waveEveryMs: 10_000,
			wave: 20,
			latency: 2_500,
			claimAgainAfter: '20 seconds',
			timeoutMs: 300_000,
		},
		list: { executions: 10, perExecution: 50, batch: 25 },
		sendOnce: { pairs: 15, wave: 5 },
		large: { messages: [500, 1_500], latency: 300 },
		kill: { executions: 5, batch: 20, latency: 300 },
		leave: { executions: 10, batch: 20, latency: 300 },
	},
};

export type Sizes = (typeof sizes)['full'];
