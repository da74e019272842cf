// Threats: forged-webhook, dependency-failure
import { testWebhooks } from '../support/webhook-tests';

testWebhooks();
