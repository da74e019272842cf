// ASVS: 7.4.1, 7.4.2, 10.6.2
// Threats: foreign-client, stolen-session
// Every reason, on both engines: openid-logout.nightly.test.ts, openid-logout.other-engine.nightly.test.ts.
import { mainEngine } from '../support/databases';
import { testLogout } from '../support/openid-logout-tests';

testLogout(mainEngine, ['a sign-out', 'a disavowal', 'an account that an operator has disabled']);
