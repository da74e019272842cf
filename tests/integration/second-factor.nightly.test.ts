// ASVS: 6.3.3, 6.3.4, 6.5.1, 7.5.1
// Threats: factor-replayed, factor-guessed, factor-lock-out, planted-factor
import { serveSecondFactor } from '../support/second-factor-app';
import { testSecondFactorChanges } from '../support/second-factor-changes';
import { testSecondFactor } from '../support/second-factor-tests';
import { testUnfinishedSignIns } from '../support/unfinished-sign-ins';

const app = serveSecondFactor();
testSecondFactor(app);
testSecondFactorChanges(app);
testUnfinishedSignIns(app);
