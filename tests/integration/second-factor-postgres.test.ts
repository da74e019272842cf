// ASVS: 6.3.3, 6.3.4, 6.5.1, 7.5.1
// Threats: factor-replayed, factor-guessed, factor-lock-out, planted-factor
import { describe } from 'vitest';
import { hasPostgres } from '../support/databases';
import { serveSecondFactor } from '../support/second-factor-app';
import { testSecondFactorChanges } from '../support/second-factor-changes';
import { testSecondFactor } from '../support/second-factor-tests';
import { testUnfinishedSignIns } from '../support/unfinished-sign-ins';

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  const app = serveSecondFactor('postgres');
  testSecondFactor(app);
  testSecondFactorChanges(app);
  testUnfinishedSignIns(app);
});
