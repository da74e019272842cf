// Threats: event-suppression
import { describe } from 'vitest';
import { hasPostgres } from '../support/databases';
import { testSessionRaces } from '../support/session-races';

describe.skipIf(!hasPostgres)('on PostgreSQL', () => testSessionRaces('postgres'));
