// ASVS: 6.3.3, 6.3.4
// Threats: factor-skipped
import { serveSecondFactor } from '../support/second-factor-app';
import { createWays, testFactorByMethod } from '../support/second-factor-ways';

const app = serveSecondFactor();
testFactorByMethod(app, Object.keys(createWays(app).ways), { kinds: ['recovery code'], isWithout: true });
