// ASVS: 6.3.3, 6.3.4, 6.5.1, 7.5.1
// Threats: forged-passkey, planted-passkey, stolen-session
import { testPasskeyAccounts } from '../support/passkey-accounts';
import { servePasskeys } from '../support/passkey-app';
import { testCeremonies } from '../support/passkey-ceremonies';

const app = servePasskeys();
testCeremonies(app);
testPasskeyAccounts(app);
