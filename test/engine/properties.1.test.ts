import { testRandomRuns } from './properties';

testRandomRuns([0, 1, 2, 3]);
