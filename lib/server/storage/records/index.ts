import { ConfigurationError, env, log, runOutsideOfRequest, processWide } from '@/lib/server/runtime';
import { chooseRecords, type RecordsChoice, openEmbedded, openPostgres } from './engines';
import { describeRecordsError, isRecordsError } from './errors';
import { recordFailedRecords } from './outage';
import type { Records } from './types';

/** How long a start waits for the database, in milliseconds: on a busy machine the process reads its answer late. */
const START_TIMEOUT_MS = 10_000;

/** Whether this deployment keeps records. Without them, features that need records are not offered. */
export function hasRecords(): boolean {
  return chooseRecords(env()).kind !== 'none';
}

/**
 * The process's database, opened at the first call and again after a failed one.
 * @param connectTimeoutMs of the first connection, if it is opened by this call
 * @throws RecordsError; ConfigurationError
 */
export async function getRecords(connectTimeoutMs?: number): Promise<Records> {
  const place = connectionSlot();
  place.opening ??= runOutsideOfRequest(() => openRecords(chooseRecords(env()), connectTimeoutMs)).catch(
    (error: unknown) => {
      place.opening = null;
      throw error;
    },
  );
  return place.opening;
}

/** Whether this process has used its database. */
export function isRecordsOpen(): boolean {
  return connectionSlot().opening !== null;
}

function connectionSlot() {
  return processWide('records', () => ({ opening: null as Promise<Records> | null }));
}

/** Opens a database, and applies the migrations. Its driver is loaded then: most processes need only one of them. */
export async function openRecords(choice: RecordsChoice, connectTimeoutMs?: number): Promise<Records> {
  if (choice.kind === 'postgres') return openPostgres(choice.url, connectTimeoutMs);
  if (choice.kind === 'embedded') return openEmbedded(choice.folder);
  throw new Error('This deployment has no database');
}

/**
 * Opens the database when the process starts. An unreachable or read-only one does not stop the start: sign-in works
 * without it.
 * @returns problems of the configuration, with which it can never be opened
 */
export async function startRecords(): Promise<readonly string[]> {
  const choice = chooseRecords(env());
  if (choice.kind === 'none') return [];
  try {
    await getRecords(START_TIMEOUT_MS);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    if (!isRecordsError(error)) throw error;
    const variable = choice.kind === 'postgres' ? 'DATABASE_URL' : 'DATABASE_FOLDER';
    const { reason } = describeRecordsError(error);
    if (!error.isAway) return [`${variable}: the database cannot be opened: ${reason}`];
    recordFailedRecords(error, 'opening the database');
  }
  if (choice.kind === 'embedded')
    log().warn(
      { folder: choice.folder },
      'embedded database: for a trial with one process; no fsync, so a power cut can lose it',
    );
  return [];
}
