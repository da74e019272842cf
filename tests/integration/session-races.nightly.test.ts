// Threats: event-suppression
import { testSessionRaces } from '../support/session-races';

testSessionRaces();
