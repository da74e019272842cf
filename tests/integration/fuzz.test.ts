// ASVS: 3.7.2
// Threats: open-redirect, malicious-input
// fuzz.nightly.test.ts and `npm run fuzz` use more inputs.
import { testFuzz } from '../support/fuzz-tests';

testFuzz(50);
