import { env, escapeControls, type Env } from '@/lib/server/runtime';
import { chooseRecords, hasRecords, type RecordsChoice } from '@/lib/server/storage';
import { UsageError } from './types';

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

/**
 * The only account that a command names, after saying which accounts and which database it uses.
 * @throws UsageError; as `announceAccounts`
 */
export function announceNamed([name, ...more]: readonly string[]): string {
  if (!name || more.length > 0) throw new UsageError('Name one account, by its email or its id.');
  announceAccounts();
  console.error(`Database: ${describeDatabase(chooseRecords(env()))}`);
  return name;
}

/** @throws Error where there is no database */
export function assertDatabase(): void {
  if (!hasRecords()) throw new Error('There is no database: set DATABASE_URL, or DATABASE_FOLDER.');
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
