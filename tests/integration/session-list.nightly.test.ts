// ASVS: 7.4.1, 7.4.3, 7.5.2
// Threats: stolen-session, revoked-browser, session-list
import { testSessionList } from '../support/session-list';

testSessionList();
