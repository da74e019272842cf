// Threats: half-deletion, forged-webhook, dependency-failure
import { describeOtherEngine } from '../support/databases';
import { testOutbox } from '../support/outbox-tests';

describeOtherEngine(testOutbox);
