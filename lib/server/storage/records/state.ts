import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { processWide } from '@/lib/server/runtime';
import { getRecords, hasRecords } from '.';
import { probeRecords } from './outage';

/** How long a probe waits for the database, in milliseconds. */
const TIMEOUT_MS = 1_000;
/** Anyone can call the probe: it asks the database at most once in this time, in milliseconds. */
const STATE_TTL_MS = 1_000;

type State = 'up' | 'down';

/** Whether the database answers, has every table, and can be written to. */
export async function getRecordsState(): Promise<State | 'not configured'> {
  if (!hasRecords()) return 'not configured';
  const last = processWide('records-state', () => ({ at: -Infinity, state: Promise.resolve<State>('down') }));
  if (performance.now() - last.at >= STATE_TTL_MS) Object.assign(last, { at: performance.now(), state: fetchState() });
  return last.state;
}

function fetchState(): Promise<State> {
  const query = getRecords().then(probeRecords);
  return promiseTimeout(query, TIMEOUT_MS).then(
    () => 'up',
    () => 'down',
  );
}
