// ASVS: 7.4.1, 7.4.2, 10.6.2
// Threats: foreign-client, stolen-session
import { testLogout } from '../support/openid-logout-tests';

testLogout();
