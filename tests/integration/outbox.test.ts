// Threats: half-deletion, forged-webhook, dependency-failure
import { testOutbox } from '../support/outbox-tests';

testOutbox();
