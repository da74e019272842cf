// ASVS: 6.3.3, 6.3.4, 6.5.1, 7.5.1
// Threats: factor-replayed
// second-factor.nightly.test.ts covers the rest.
import { serveSecondFactor } from '../support/second-factor-app';
import { testSecondFactorBasics } from '../support/second-factor-tests';

testSecondFactorBasics(serveSecondFactor());
