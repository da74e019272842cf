// ASVS: 6.4.3, 6.3.7
// Threats: factor-reset-abused
import { describe } from 'vitest';
import { hasPostgres } from '../support/databases';
import { testResetCancellation } from '../support/factor-reset-cancel-tests';
import { testFactorReset } from '../support/factor-reset-tests';
import { serveSecondFactor } from '../support/second-factor-app';

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  const app = serveSecondFactor('postgres');
  testFactorReset(app);
  testResetCancellation(app);
});
