import { env, escapeControls, type Env } from '@/lib/server/runtime';
import { chooseRecords, type RecordsChoice } from '@/lib/server/storage';
import { UsageError } from './types';

/** The default port of PostgreSQL. */
const DEFAULT_PORT = '5432';

/**
 * Prints which accounts a command uses. It prints to stderr, because the command's output may be JSON.
 * @throws Error if another deployment has the accounts
 */
export function announceAccounts(): void {
  if (env().SESSION_BACKEND === 'upstream')
    throw new Error('SESSION_BACKEND is upstream: run this command with the configuration of that deployment.');
  console.error(`Accounts: ${describeAccounts(env())}`);
}

/** Describes where the accounts are. */
export function describeAccounts({
  FIREBASE_AUTH_EMULATOR_HOST: emulator,
  NEXT_PUBLIC_FIREBASE_PROJECT_ID: project,
}: Pick<Env, 'FIREBASE_AUTH_EMULATOR_HOST' | 'NEXT_PUBLIC_FIREBASE_PROJECT_ID'>): string {
  return `${emulator === undefined ? '' : `the emulator at ${emulator}, `}project ${escapeControls(project)}`;
}

/**
 * Returns the only account that a command names, after printing which accounts and database it uses.
 * @throws UsageError; Error if another deployment has the accounts
 */
export function announceNamed([name, ...more]: readonly string[]): string {
  if (!name || more.length > 0) throw new UsageError('Name one account, by its email or its id.');
  announceBoth();
  return name;
}

/** Prints which accounts and database a command uses. @throws Error if another deployment has the accounts */
export function announceBoth(): void {
  announceAccounts();
  console.error(`Database: ${describeDatabase(chooseRecords(env()))}`);
}

/** Describes a database without user and password. */
export function describeDatabase(choice: RecordsChoice | null): string {
  if (choice === null) return 'none';
  if (choice.kind === 'embedded') return `embedded, in ${escapeControls(choice.folder)}`;
  const { hostname, port, pathname, searchParams } = new URL(choice.url);
  // The driver prefers values in the query, for example for a socket: postgres:///identity?host=/var/run/postgresql
  const host = (searchParams.get('host') ?? hostname) || 'localhost';
  const at = (searchParams.get('port') ?? port) || DEFAULT_PORT;
  return `PostgreSQL at ${escapeControls(`${decode(host)}:${at}${decode(pathname)}`)}`;
}

/** Returns the text unchanged if it cannot be decoded. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
