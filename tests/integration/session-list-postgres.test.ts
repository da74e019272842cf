// ASVS: 7.4.1, 7.4.3, 7.5.2
// Threats: stolen-session, revoked-browser, session-list
import { describe } from 'vitest';
import { hasPostgres } from '../support/databases';
import { testSessionList } from '../support/session-list';

describe.skipIf(!hasPostgres)('on PostgreSQL', () => testSessionList('postgres'));
