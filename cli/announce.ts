import { env, escapeControls, type Env } from '@/lib/server/runtime';
import { chooseRecords, type RecordsChoice } from '@/lib/server/storage';

/** PostgreSQL's own. */
const DEFAULT_PORT = '5432';

/**
 * Says which accounts a command uses. On stderr: what the command prints may be JSON.
 * @throws Error where they are at another deployment
 */
export function announceAccounts(): void {
  if (env().SESSION_BACKEND === 'upstream')
    throw new Error('SESSION_BACKEND is upstream: run this command with the configuration of that deployment.');
  console.error(`Accounts: ${describeAccounts(env())}`);
}

/** Where accounts are, in words. */
export function describeAccounts({
  FIREBASE_AUTH_EMULATOR_HOST: emulator,
  NEXT_PUBLIC_FIREBASE_PROJECT_ID: project,
}: Pick<Env, 'FIREBASE_AUTH_EMULATOR_HOST' | 'NEXT_PUBLIC_FIREBASE_PROJECT_ID'>): string {
  return `${emulator === undefined ? '' : `the emulator at ${emulator}, `}project ${escapeControls(project)}`;
}

/** Says which database a command uses. */
export function announceDatabase(): void {
  console.error(`Database: ${describeDatabase(chooseRecords(env()))}`);
}

/** A database in words, without user and password. */
export function describeDatabase(choice: RecordsChoice): string {
  if (choice.kind === 'none') return 'none';
  if (choice.kind === 'embedded') return `embedded, in ${escapeControls(choice.folder)}`;
  const { hostname, port, pathname, searchParams } = new URL(choice.url);
  // The driver prefers those of the query, as for a socket: postgres:///identity?host=/var/run/postgresql
  const host = (searchParams.get('host') ?? hostname) || 'localhost';
  const at = (searchParams.get('port') ?? port) || DEFAULT_PORT;
  return `PostgreSQL at ${escapeControls(`${decode(host)}:${at}${decode(pathname)}`)}`;
}

/** As it is, where it cannot be decoded. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
