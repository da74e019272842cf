import { reportError } from '@/lib/shared/error-reporting/report';
import { countLostEvent, log, processWide } from '@/lib/server/runtime';
import { deleteAccountRecords, insertEvent, insertRemovedMethod, type NewEvent, type RemovedMethod } from './events';
import { getRecords, hasRecords, isRecordsOpen } from '.';
import { endRevokedSessions, type SessionCookie } from './sessions';
import type { Records } from './engines';

/** While the database is away, one log line in this time, in milliseconds. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Records a security event in the background. Best effort: a sign-in neither waits for the database nor fails with it
 * (docs/adr/0024).
 */
export function recordEvent(event: Omit<NewEvent, 'at'> & Partial<Pick<NewEvent, 'at'>>): void {
  const happened = { at: new Date(), ...event };
  writeInBackground((records) => insertEvent(records, happened));
}

/** Records, in the background, that our server has removed a sign-in method of an account. Best effort, too. */
export function recordRemovedMethod(removed: Omit<RemovedMethod, 'at'>): void {
  const at = new Date();
  writeInBackground((records) => insertRemovedMethod(records, { ...removed, at }));
}

/** Deletes, in the background, all records of an account that our server has deleted at the identity provider. */
export function deleteRecordsInBackground(uid: string): void {
  writeInBackground(
    (records) => deleteAccountRecords(records, uid),
    (error) => reportError(error, { during: 'deleting the records of an account' }),
  );
}

/**
 * Ends, in the background, the records of the sessions that our server has revoked at the identity provider. Not in the process
 * of a command, which has no database open.
 * @param mark ends their cookies in all processes, which otherwise notice within 20 s
 */
export function endRevokedInBackground(
  uid: string,
  validSince: Date,
  mark: (cookies: readonly SessionCookie[]) => Promise<void>,
): void {
  const at = new Date();
  if (isRecordsOpen())
    writeInBackground(async (records) =>
      mark(await endRevokedSessions(records, { uid, at, by: 'revoked', validSince })),
    );
}

function writeInBackground(write: (records: Records) => Promise<void>, onError = reportLostEvent): void {
  if (hasRecords()) void getRecords().then(write).catch(onError);
}

function reportLostEvent(error: unknown): void {
  countLostEvent();
  const state = processWide('lost-events', () => ({ count: 0, loggedAt: -Infinity }));
  state.count += 1;
  if (performance.now() - state.loggedAt < LOG_INTERVAL_MS) return;
  log().error({ err: error, count: state.count }, 'security events could not be recorded');
  Object.assign(state, { count: 0, loggedAt: performance.now() });
}
