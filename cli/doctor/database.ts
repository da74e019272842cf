import { ConfigurationError, env } from '@/lib/server/runtime';
import {
  chooseRecords,
  describeRecordsError,
  NOT_MIGRATED,
  isRecordsError,
  RecordsError,
  inspectDatabase,
  type DatabaseFacts,
} from '@/lib/server/storage';
import { describeError } from '../describe-error';
import { NEIGHBORS } from '../version';
import { works, fails, notConfigured, unchecked, type Finding } from './types';

const what = 'database';

/** Null: cannot be read. */
type Stored = Pick<DatabaseFacts, 'passkeyRpIds' | 'appKeyIds'>;

/** Without opening it as the app does: an embedded one would be migrated. */
export async function examineDatabase(): Promise<{ finding: Finding; stored: Stored }> {
  const stored = { passkeyRpIds: [], appKeyIds: [] };
  const choice = chooseRecords(env());
  if (choice.kind === 'none') {
    const isUpstream = env().SESSION_BACKEND === 'upstream';
    const detail = isUpstream
      ? 'the upstream identity API has it'
      : 'no security events, no list of sessions, no deletion by the owner';
    const action = isUpstream ? null : 'Set DATABASE_URL to have these';
    return { finding: notConfigured(what, detail, action), stored };
  }
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
  // The app that uses the embedded database is running, and says itself how it is.
  if (error instanceof ConfigurationError)
    return unchecked(what, error.problems.join('; '), 'If it is the app, see "database" of its /api/health/ready');
  if (!isRecordsError(error)) return fails(what, describeError(error), null);
  const { reason, action } = describeRecordsError(error);
  return fails(what, reason, action);
}

const NAMES = { postgres: 'PostgreSQL', embedded: 'embedded PostgreSQL' };

export function judgeDatabase(kind: keyof typeof NAMES, facts: DatabaseFacts): Finding {
  const { version, isTooOld, isReadOnly, canCreate } = facts;
  const { all, pending, later } = facts.migrations;
  const server = `${NAMES[kind]} ${version}`;
  if (isTooOld) return fails(what, `${server} is older than 15`, 'Update the server');
  const applied =
    pending === 0
      ? `all ${String(all)} migrations applied`
      : `${String(pending)} of ${String(all)} migrations not applied yet`;
  const beyond = later > 0 ? `, and ${String(later)} of a later version, which ${NEIGHBORS}` : '';
  const found = `${server}, ${applied}${beyond}`;
  const code = isReadOnly ? '25006' : canCreate ? null : '42501';
  if (code !== null) {
    const { reason, action } = describeRecordsError(new RecordsError(code));
    return fails(what, `${found}: ${reason}`, action);
  }
  if (pending === 0) return works(what, found);
  if (kind === 'embedded') return works(what, found, 'Nothing: the app applies migrations when it starts');
  return fails(what, `${found}: no process starts`, describeRecordsError(new RecordsError(NOT_MIGRATED)).action);
}
