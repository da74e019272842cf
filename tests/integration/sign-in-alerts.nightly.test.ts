// ASVS: 6.3.5, 6.3.7
// Threats: unnoticed-sign-in, forged-disavowal
import { testSignInAlerts } from '../support/sign-in-alerts';

testSignInAlerts();
