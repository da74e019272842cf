// Threats: stolen-session
import { describe } from 'vitest';
import { hasPostgres } from '../support/databases';
import { testSessionEnds } from '../support/session-ends';

describe.skipIf(!hasPostgres)('on PostgreSQL', () => testSessionEnds('postgres'));
