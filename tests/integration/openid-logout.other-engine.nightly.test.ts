// Threats: foreign-client, stolen-session
import { describeOtherEngine } from '../support/databases';
import { testLogout } from '../support/openid-logout-tests';

describeOtherEngine(testLogout);
