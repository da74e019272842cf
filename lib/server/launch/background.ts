import { AsyncLocalStorage } from 'node:async_hooks';
import { reportError } from '@/lib/shared/error-reporting/report';
import { advanceDeletions, countDueEmails, sendDueEmails } from '@/lib/server/accounts';
import { advanceFactorResets, reportUnfinishedSignIns } from '@/lib/server/second-factor';
import { countDueNotices, sendDueNotices, sendDueWebhooks, onWake } from '@/lib/server/notifications';
import { countLateLogouts, isOidcOffered, sendDueLogouts } from '@/lib/server/oidc';
import { recordBacklog } from '@/lib/server/runtime';
import {
  getRecords,
  onAnnouncement,
  isRecordsError,
  probeRecords,
  recordFailedRecords,
  recordUsableRecords,
  countOverdue,
  deletions,
  factorResets,
  type Records,
} from '@/lib/server/storage';

/** How often the database is asked for work that another process, or a crashed one, has left. */
const INTERVAL_MS = 10_000;

/**
 * Starts the work that the database holds for whichever process comes first: emails that a killed process has
 * promised, deletions of accounts, resets of second factors, and the outbox. At once after a request has written something, and regularly.
 */
export function startBackgroundWork(): void {
  onWake(startRounds(runBackgroundWork));
  onAnnouncement(startRounds(tellReceivers));
  startRounds(countBacklog);
}

/**
 * Does work now and regularly, once at a time.
 * @returns does it at once, or once more after the present round; not as part of what has called it, whose request and whose lock of an
 *   account are not those of the round
 */
export function startRounds(work: () => Promise<void>): () => void {
  const outside = AsyncLocalStorage.snapshot();
  let isRunning = false;
  let isWanted = false;
  const run = async () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await work().catch(handleFailure);
    }
    isRunning = false;
  };
  setInterval(() => void run(), INTERVAL_MS).unref();
  void run();
  return () => outside(() => void run());
}

/** Does all work that is due now, and sends its emails. @throws RecordsError */
async function runBackgroundWork(): Promise<void> {
  const records = await openWorkingRecords();
  recordUsableRecords();
  await sendDueEmails(records);
  await advanceDeletions(records);
  await reportUnfinishedSignIns(records);
  await advanceFactorResets(records);
  await sendDueNotices(records);
}

/** In rounds of its own: emails wait for no receiver or client that hangs, and what these are told waits for no mail server. */
async function tellReceivers(): Promise<void> {
  const records = await getRecords();
  // Not awaited: what hangs must not hold up the next round.
  void sendDueWebhooks(records).catch(handleFailure);
  if (isOidcOffered()) void sendDueLogouts(records).catch(handleFailure);
}

/** In rounds of its own: that work fails, or hangs, is seen by what waits for it. */
async function countBacklog(): Promise<void> {
  const records = await getRecords();
  recordBacklog({
    notices: (await countDueNotices(records)) + (isOidcOffered() ? await countLateLogouts(records) : 0),
    requestedEmails: await countDueEmails(records),
    deletions: await countOverdue(records, deletions),
    factorResets: await countOverdue(records, factorResets),
  });
}

/**
 * A connection that times out is tried again at once: while a process loads its code it reads no answers, and the database is not
 * away.
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

/** A database that is away is told by its metrics, readiness, and one line. */
function handleFailure(error: unknown): void {
  if (isRecordsError(error)) recordFailedRecords(error, 'working on the outbox');
  else reportError(error, { during: 'working on the outbox' });
}
