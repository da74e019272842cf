// ASVS: 6.4.3, 6.3.7
// Threats: factor-reset-abused
import { describeOtherEngine } from '../support/databases';
import { testResetCancellation } from '../support/factor-reset-cancel-tests';
import { testFactorReset } from '../support/factor-reset-tests';
import { serveSecondFactor } from '../support/second-factor-app';

describeOtherEngine((engine) => {
  const app = serveSecondFactor(engine);
  testFactorReset(app);
  testResetCancellation(app);
});
