// ASVS: 3.7.2
// Threats: open-redirect, malicious-input
// With more inputs: fuzz.nightly.test.ts, and `npm run fuzz`.
import { testFuzz } from '../support/fuzz-tests';

testFuzz(50);
