// Threats: event-suppression
import { describeOtherEngine } from '../support/databases';
import { testSessionRaces } from '../support/session-races';

describeOtherEngine(testSessionRaces);
