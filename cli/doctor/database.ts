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
import { judgePasskeys } from './passkeys';
import { works, fails, notConfigured, unchecked, type Finding } from './types';

const what = 'database';

/** The database of the records, and passkeys, which depend on it. */
export async function checkDatabase(): Promise<Finding[]> {
  const { finding, passkeyRpIds } = await examineDatabase();
  return [finding, judgePasskeys(env(), passkeyRpIds)];
}

/** Without opening it as the app does: that would apply migrations. */
async function examineDatabase(): Promise<{ finding: Finding } & Pick<DatabaseFacts, 'passkeyRpIds'>> {
  const choice = chooseRecords(env());
  if (choice.kind === 'none') {
    const isUpstream = env().SESSION_BACKEND === 'upstream';
    const detail = isUpstream
      ? 'the upstream identity API has it'
      : 'no security events, no list of sessions, no deletion by the owner';
    const action = isUpstream ? null : 'Set DATABASE_URL to have these';
    return { finding: notConfigured(what, detail, action), passkeyRpIds: [] };
  }
  const name = choice.kind === 'postgres' ? 'PostgreSQL' : 'embedded PostgreSQL';
  try {
    const facts = await inspectDatabase(choice);
    if (facts) return { finding: judgeDatabase(name, facts), passkeyRpIds: facts.passkeyRpIds };
    const detail = `${choice.kind === 'embedded' ? choice.folder : name} does not exist yet: the app creates it when it starts`;
    return { finding: works(what, detail), passkeyRpIds: [] };
  } catch (error) {
    return { finding: judgeDatabaseError(error), passkeyRpIds: null };
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

/** @param name of the kind of database */
export function judgeDatabase(name: string, facts: DatabaseFacts): Finding {
  const { version, isTooOld, isReadOnly, canCreate } = facts;
  const { all, pending } = facts.migrations;
  const server = `${name} ${version}`;
  if (isTooOld) return fails(what, `${server} is older than 15`, 'Update the server');
  const applied =
    pending === 0
      ? `all ${String(all)} migrations applied`
      : `${String(pending)} of ${String(all)} migrations not applied yet`;
  const found = `${server}, ${applied}`;
  const code = isReadOnly ? '25006' : canCreate ? null : '42501';
  if (code !== null) {
    const { reason, action } = describeRecordsError(new RecordsError(code));
    return fails(what, `${found}: ${reason}`, action);
  }
  const action = pending > 0 ? 'Nothing: the app applies migrations when it starts' : null;
  return works(what, found, action);
}
