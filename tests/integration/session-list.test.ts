// ASVS: 7.4.1, 7.4.3, 7.5.2
// Threats: stolen-session, session-list
// session-list.nightly.test.ts covers the rest.
import { testSessionListBasics } from '../support/session-list';

testSessionListBasics();
