import { countLostEvent } from '../observability/metrics';
import { log } from '../observability/log';
import { processWide } from '../process-wide';
import { insertEvent, insertMethods, type NewEvent, type SeenMethods } from './events';
import { getRecords, hasRecords } from './index';
import type { Records } from './types';

/** While the database is away, one log line in this time, in milliseconds. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Records a security event in the background. Best effort: a sign-in neither waits for the database nor fails with it
 * (docs/adr/0024).
 */
export function recordEvent(event: Omit<NewEvent, 'at'>): void {
  const at = new Date();
  writeInBackground((records) => insertEvent(records, { ...event, at }));
}

/** Records, in the background, that our server changed the sign-in methods of an account. Best effort, too. */
export function recordMethodChange(seen: Omit<SeenMethods, 'at'>): void {
  const at = new Date();
  writeInBackground((records) => insertMethods(records, { ...seen, at }));
}

function writeInBackground(write: (records: Records) => Promise<void>): void {
  if (hasRecords()) void getRecords().then(write).catch(reportLostEvent);
}

function reportLostEvent(error: unknown): void {
  countLostEvent();
  const state = processWide('lost-events', () => ({ count: 0, loggedAt: -Infinity }));
  state.count += 1;
  if (performance.now() - state.loggedAt < LOG_INTERVAL_MS) return;
  log().error({ err: error, count: state.count }, 'security events could not be recorded');
  Object.assign(state, { count: 0, loggedAt: performance.now() });
}
