import { log, countNotice, processWide } from '@/lib/server/runtime';
import { drainDue, type Records } from '@/lib/server/storage';
import { claimNotice, failNotice, settleNotice } from './outbox';
import { describeFailure, sendNotice } from './send-notice';
import type { Notice } from './types';

/** Notices that a process sends at the same time: the pool of the mail server has five connections. */
const SENDERS = 4;

/**
 * Sends all notices that are due, each at least once (docs/adr/0028).
 * @param options `send` hands one over; `senders`: how many at the same time
 * @throws RecordsError: the lease of what was just sent then ends, and it is sent again
 */
export async function sendDueNotices(
  records: Records,
  { send = sendNotice, senders = SENDERS }: { send?: typeof sendNotice; senders?: number } = {},
): Promise<void> {
  await drainDue(
    () => claimNotice(records),
    (notice) => attempt(records, notice, send),
    senders,
  );
}

async function attempt(records: Records, notice: Notice, send: typeof sendNotice): Promise<void> {
  const { id, kind, attempts, body } = notice;
  try {
    if (!handedOver().has(id)) await send(notice);
  } catch (error) {
    const failure = describeFailure(error);
    const isGivenUp = await failNotice(records, notice, failure);
    countNotice(kind, isGivenUp ? 'failed' : 'retried');
    const variable = body.channel === 'webhook' ? 'WEBHOOK_URL' : 'SMTP_URL';
    const entry = { notice: id, kind, attempts, reason: failure.code, variable };
    if (isGivenUp) log().error(entry, 'a notice was given up');
    else log().warn(entry, 'a notice could not be sent');
    return;
  }
  handedOver().add(id);
  await settleNotice(records, notice);
  handedOver().delete(id);
  countNotice(kind, 'sent');
}

/** Sent by this process, and not yet marked: while the database is away, they must not be sent again. */
const handedOver = () => processWide('notices-handed-over', () => new Set<string>());
