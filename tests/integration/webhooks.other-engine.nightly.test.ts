// Threats: forged-webhook, dependency-failure
import { describeOtherEngine } from '../support/databases';
import { testWebhooks } from '../support/webhook-tests';

describeOtherEngine(testWebhooks);
