// ASVS: 6.3.3, 6.3.4, 6.5.1, 7.5.1, 10.1.1
// Threats: forged-passkey
// passkeys.nightly.test.ts covers the rest.
import { servePasskeys } from '../support/passkey-app';
import { testCeremonyBasics } from '../support/passkey-ceremonies';

testCeremonyBasics(servePasskeys());
