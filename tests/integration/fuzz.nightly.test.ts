// ASVS: 3.7.2
// Threats: open-redirect, malicious-input
import { RUNS } from '../support/fuzz';
import { testFuzz } from '../support/fuzz-tests';

testFuzz(RUNS);
