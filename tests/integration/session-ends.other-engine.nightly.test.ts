// Threats: stolen-session
import { describeOtherEngine } from '../support/databases';
import { testSessionEnds } from '../support/session-ends';

describeOtherEngine(testSessionEnds);
