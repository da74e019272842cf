import { setTimeout as sleep } from 'node:timers/promises';
import { reportError } from '@/lib/shared/error-reporting/report';
import { advanceDeletions, emailChangeJobs, requestedEmailJobs } from '@/lib/server/accounts';
import { advanceFactorResets, reportUnfinishedSignIns } from '@/lib/server/second-factor';
import { emailJobs, webhookJobs } from '@/lib/server/notifications';
import { isOidcOffered, logoutJobs } from '@/lib/server/oidc';
import { recordBacklog } from '@/lib/server/runtime';
import {
  getRecords,
  isRecordsError,
  probeRecords,
  recordFailedRecords,
  recordUsableRecords,
  countOverdue,
  countWaiting,
  deletions,
  factorResets,
  runJobs,
  waitForRound,
  type Records,
} from '@/lib/server/storage';

/** Interval at which this process asks the database for work that another or a crashed process has left. */
const INTERVAL_MS = 10_000;

/**
 * Starts work that the database holds for any process: promised emails of a killed process, deletions of accounts,
 * resets of second factors, and the outbox. It runs at regular intervals, and immediately after a request has written
 * work.
 */
export function startBackgroundWork(): void {
  void runRounds(runBackgroundWork, (ms) => waitForRound('outbox', ms));
  void runRounds(tellReceivers, (ms) => waitForRound('receivers', ms));
  void runRounds(countBacklog, (ms) => sleep(ms, undefined, { ref: false }));
}

/**
 * Runs work now, at regular intervals and when it is wanted, never twice at a time.
 * @param wait resolves when the work is wanted, or after so many milliseconds
 */
export async function runRounds(work: () => Promise<void>, wait: (ms: number) => Promise<unknown>): Promise<never> {
  for (;;) {
    const begun = performance.now();
    await work().catch(handleFailure);
    await wait(Math.max(0, INTERVAL_MS - (performance.now() - begun)));
  }
}

/** Does all work that is due now, and sends its emails. @throws RecordsError */
async function runBackgroundWork(): Promise<void> {
  const records = await openWorkingRecords();
  recordUsableRecords();
  await runJobs(records, requestedEmailJobs);
  await runJobs(records, emailChangeJobs);
  await advanceDeletions(records);
  await reportUnfinishedSignIns(records);
  await advanceFactorResets(records);
  await runJobs(records, emailJobs);
}

const listReceiverHandlers = () => (isOidcOffered() ? [webhookJobs, logoutJobs] : [webhookJobs]);

/**
 * Has its own rounds, so that emails do not wait for a slow receiver or client, and webhooks do not wait for the mail
 * server.
 */
async function tellReceivers(): Promise<void> {
  const records = await getRecords();
  // Not awaited, because a slow receiver must not delay the next round.
  for (const handler of listReceiverHandlers()) void runJobs(records, handler).catch(handleFailure);
}

/** Has its own rounds, so that the metrics show waiting work even if that work fails or hangs. */
async function countBacklog(): Promise<void> {
  const records = await getRecords();
  recordBacklog({
    notices: await countWaiting(records, [emailJobs, ...listReceiverHandlers()]),
    requestedEmails: await countWaiting(records, [requestedEmailJobs]),
    deletions: await countOverdue(records, deletions),
    factorResets: await countOverdue(records, factorResets),
  });
}

/**
 * Retries a connection timeout immediately. While a process loads its code it reads no responses, so a timeout does not
 * mean that the database is away.
 */
async function openWorkingRecords(): Promise<Records> {
  const open = async () => {
    const records = await getRecords();
    await probeRecords(records);
    return records;
  };
  return open().catch((error: unknown) => {
    if (isRecordsError(error) && error.code === 'CONNECTION') return open();
    throw error;
  });
}

/** Reports an unavailable database by its metrics, readiness and a single log line. */
function handleFailure(error: unknown): void {
  if (isRecordsError(error)) recordFailedRecords(error, 'working on the outbox');
  else reportError(error, { during: 'working on the outbox' });
}
