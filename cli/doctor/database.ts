import { ConfigurationError, env } from '@/lib/server/runtime';
import {
  chooseRecords,
  describeRecordsError,
  isRecordsError,
  RecordsError,
  inspectDatabase,
  type DatabaseFacts,
} from '@/lib/server/storage';
import { describeError } from '../describe-error';
import { NEIGHBORS } from '../version';
import { works, fails, notConfigured, unchecked, type Finding } from './types';

const what = 'database';

/** Null if unreadable. */
type Stored = Pick<DatabaseFacts, 'passkeyRpIds' | 'appKeyIds'>;

/** Examines the database without opening it like the app, because an embedded database would be migrated. */
export async function examineDatabase(): Promise<{ finding: Finding; stored: Stored }> {
  const stored = { passkeyRpIds: [], appKeyIds: [] };
  const choice = chooseRecords(env());
  if (choice === null) return { finding: notConfigured(what, 'the upstream identity API has it', null), stored };
  try {
    const facts = await inspectDatabase(choice);
    if (facts) return { finding: judgeDatabase(choice.kind, facts), stored: facts };
    const detail = `${choice.kind === 'embedded' ? choice.folder : NAMES.postgres} does not exist yet: the app creates it when it starts`;
    return { finding: works(what, detail), stored };
  } catch (error) {
    return { finding: judgeDatabaseError(error), stored: { passkeyRpIds: null, appKeyIds: null } };
  }
}

function judgeDatabaseError(error: unknown): Finding {
  // The running app uses the embedded database, and reports its state itself.
  if (error instanceof ConfigurationError)
    return unchecked(what, error.problems.join('; '), 'If it is the app, see "database" of its /api/health/ready');
  if (!isRecordsError(error)) return fails(what, describeError(error), null);
  const { reason, action } = describeRecordsError(error);
  return fails(what, reason, action);
}

const NAMES = { postgres: 'PostgreSQL', embedded: 'embedded PostgreSQL' };

export function judgeDatabase(kind: keyof typeof NAMES, facts: DatabaseFacts): Finding {
  const { version, isTooOld, isReadOnly, canCreate } = facts;
  const { all, missing, later } = facts.migrations;
  const server = `${NAMES[kind]} ${version}`;
  if (isTooOld) return fails(what, `${server} is older than 15`, 'Update the server');
  const applied = missing.length === 0 ? `all ${String(all)} migrations applied` : describeMissing(missing, all);
  const beyond = later > 0 ? `, and ${String(later)} of a later version, which ${NEIGHBORS}` : '';
  const found = `${server}, ${applied}${beyond}`;
  const code = isReadOnly ? '25006' : canCreate ? null : '42501';
  if (code !== null) {
    const { reason, action } = describeRecordsError(new RecordsError(code));
    return fails(what, `${found}: ${reason}`, action);
  }
  if (missing.length === 0) return works(what, found);
  if (kind === 'embedded') return works(what, found, 'Nothing: the app applies them when it starts');
  return fails(what, `${found}: no process of this version starts`, MIGRATE);
}

const MIGRATE = 'Run: node cli migrate. The systemd unit, Compose and Kubernetes run it before a process starts';

function describeMissing(missing: readonly string[], all: number): string {
  if (missing.length === all) return 'no migration applied yet';
  return missing.length === 1
    ? `the migration ${missing.join('')} is missing`
    : `the migrations ${missing.join(', ')} are missing`;
}
