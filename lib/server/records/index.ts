import { ConfigurationError, env } from '../config/env';
import { log } from '../observability/log';
import { processWide } from '../process-wide';
import { chooseRecords, type RecordsChoice } from './choose';
import { openEmbedded } from './embedded';
import { isRecordsError } from './errors';
import { openPostgres } from './postgres';
import type { Records } from './types';

/** Whether this deployment keeps records. Without them, features that need records are not offered. */
export function hasRecords(): boolean {
  return chooseRecords(env()).kind !== 'none';
}

/**
 * The process's database, opened at the first call and again after a failed one.
 * @throws RecordsError; ConfigurationError
 */
export async function getRecords(): Promise<Records> {
  const place = processWide('records', () => ({ opening: null as Promise<Records> | null }));
  place.opening ??= openRecords(chooseRecords(env())).catch((error: unknown) => {
    place.opening = null;
    throw error;
  });
  return place.opening;
}

/** Opens a database, and applies the migrations. Its driver is loaded then: most processes need only one of them. */
export async function openRecords(choice: RecordsChoice): Promise<Records> {
  if (choice.kind === 'postgres') return openPostgres(choice.url);
  if (choice.kind === 'embedded') return openEmbedded(choice.folder);
  throw new Error('This deployment has no database');
}

/**
 * Opens the database when the process starts. An unreachable one does not stop the start: sign-in works without it.
 * @returns problems of the configuration, with which it can never be opened
 */
export async function startRecords(): Promise<readonly string[]> {
  const choice = chooseRecords(env());
  if (choice.kind === 'none') return [];
  try {
    await getRecords();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    if (!isRecordsError(error)) throw error;
    const variable = choice.kind === 'postgres' ? 'DATABASE_URL' : 'DATABASE_FOLDER';
    if (!error.isAway) return [`${variable}: the database cannot be opened (${error.code})`];
    log().warn({ err: error }, 'the database is away: security events are not recorded until it is back');
  }
  if (choice.kind === 'embedded')
    log().warn(
      { folder: choice.folder },
      'embedded database: for a trial with one process; no fsync, so a power cut can lose it',
    );
  return [];
}
