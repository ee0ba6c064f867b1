/* eslint-disable @n8n/community-nodes/no-restricted-globals -- a test reads its settings from the environment */
/**
 * What must hold for every input, tried with thousands that no one would think of.
 *
 * FUZZ_RUNS says how many inputs in total; each claim gets its share. The few of `npm test` are always the same,
 * so that it fails for a change and not for luck; with FUZZ_RUNS they are new each time, and FUZZ_SEED brings
 * back those of a failure.
 */
import fc from 'fast-check';

import { parametersClaims } from './parameters';
import { serviceClaims } from './service';
import { validationClaims } from './validation';

const claims = [...validationClaims, ...serviceClaims, ...parametersClaims];
const { FUZZ_RUNS, FUZZ_SEED } = process.env;
const numRuns = Math.ceil(Number(FUZZ_RUNS ?? 5_000) / claims.length);
const seed = FUZZ_SEED ?? (FUZZ_RUNS === undefined ? 1 : undefined);

jest.setTimeout(15 * 60_000);

test.each(claims)('$name', ({ property, examples }) => {
	fc.assert(property, { numRuns, examples, ...(seed !== undefined && { seed: Number(seed) }) });
});
