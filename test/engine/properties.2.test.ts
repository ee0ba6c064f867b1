import { testRandomRuns } from './properties';

testRandomRuns();
