// ASVS: 6.3.5, 6.3.7
// Threats: unnoticed-sign-in, forged-disavowal
import { describe } from 'vitest';
import { hasPostgres } from '../support/databases';
import { testSignInAlerts } from '../support/sign-in-alerts';

describe.skipIf(!hasPostgres)('on PostgreSQL', () => testSignInAlerts('postgres'));
