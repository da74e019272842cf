// ASVS: 6.4.3, 6.3.7
// Threats: factor-reset-abused
import { testResetCancellation } from '../support/factor-reset-cancel-tests';
import { testFactorReset } from '../support/factor-reset-tests';
import { serveSecondFactor } from '../support/second-factor-app';

const app = serveSecondFactor();
testFactorReset(app);
testResetCancellation(app);
