/* eslint-disable @n8n/community-nodes/no-restricted-globals -- a test reads its settings
	from the environment */
const { FUZZ_SEED = '1' } = process.env;

/** `npm test` always tries the same, so that it fails for a change and not for luck. */
export const isFixedSeed = FUZZ_SEED === '1';

/** FUZZ_SEED=random tries something new, and the number of a failure brings it back. */
export const SEED = FUZZ_SEED === 'random' ? Date.now() % 1e9 : Number(FUZZ_SEED);
