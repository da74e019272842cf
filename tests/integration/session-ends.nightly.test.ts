// Threats: stolen-session
import { testSessionEnds } from '../support/session-ends';

testSessionEnds();
