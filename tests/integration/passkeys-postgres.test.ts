// ASVS: 6.3.3, 6.3.4, 6.5.1, 7.5.1
// Threats: forged-passkey, planted-passkey, stolen-session
import { describe } from 'vitest';
import { hasPostgres } from '../support/databases';
import { testPasskeyAccounts } from '../support/passkey-accounts';
import { servePasskeys } from '../support/passkey-app';
import { testCeremonies } from '../support/passkey-ceremonies';

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  const app = servePasskeys('postgres');
  testCeremonies(app);
  testPasskeyAccounts(app);
});
