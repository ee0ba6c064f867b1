import { testRandomRuns } from './properties';

testRandomRuns([4, 5, 6, 7]);
