import { log, countNotice, processWide } from '@/lib/server/runtime';
import { drainByTarget, drainDue, type Records } from '@/lib/server/storage';
import { WebhookError } from '../webhooks/send';
import { claimNotice, failNotice, isEmail, isForReceiver, listDueReceivers, settleNotice } from './outbox';
import { describeFailure, sendNotice } from './send-notice';
import { getNoticeKind, type Notice } from './types';

/** Notices that a process sends at the same time, of emails and of each receiver: the pool of the mail server has five connections. */
const SENDERS = 4;

/** `send` hands one over; `senders`: how many at the same time */
type Sending = { send?: typeof sendNotice; senders?: number };

/**
 * Sends all emails that are due, each at least once (docs/adr/0028).
 * @throws RecordsError: the lease of what was just sent then ends, and it is sent again
 */
export async function sendDueNotices(
  records: Records,
  { send = sendNotice, senders = SENDERS }: Sending = {},
): Promise<void> {
  await drainDue(
    () => claimNotice(records, isEmail),
    async (notice) => void (await attempt(records, notice, send)),
    senders,
  );
}

/**
 * The same for webhooks. Each receiver has senders of its own: one that is slow, or fails, delays no other. One that does not answer is left
 * alone until the next round.
 */
export async function sendDueWebhooks(
  records: Records,
  { send = sendNotice, senders = SENDERS }: Sending = {},
): Promise<void> {
  await drainByTarget(records, 'webhooks', await listDueReceivers(records), async (receiver) => {
    let isAway = false;
    await drainDue(
      () => (isAway ? Promise.resolve(null) : claimNotice(records, isForReceiver(receiver))),
      async (notice) => {
        const failure = await attempt(records, notice, send);
        isAway ||= failure instanceof WebhookError && failure.isAway;
      },
      senders,
    );
  });
}

/** @returns why it failed; null when it was sent */
async function attempt(records: Records, notice: Notice, send: typeof sendNotice): Promise<unknown> {
  const { id, attempts, body, receiver } = notice;
  const kind = getNoticeKind(body);
  try {
    if (!handedOver().has(id)) await send(notice);
  } catch (error) {
    const failure = describeFailure(error);
    const isGivenUp = await failNotice(records, notice, failure);
    countNotice(kind, isGivenUp ? 'failed' : 'retried');
    const variable = body.channel === 'email' ? 'SMTP_URL' : receiver === null ? 'WEBHOOK_URL' : 'WEBHOOKS_FILE';
    const entry = {
      notice: id,
      kind,
      attempts,
      reason: failure.code,
      variable,
      ...(receiver !== null && { receiver }),
    };
    if (isGivenUp) log().error(entry, 'a notice was given up');
    else log().warn(entry, 'a notice could not be sent');
    return error;
  }
  handedOver().add(id);
  await settleNotice(records, notice);
  handedOver().delete(id);
  countNotice(kind, 'sent');
  return null;
}

/** Sent by this process, and not yet marked: while the database is away, they must not be sent again. */
const handedOver = () => processWide('notices-handed-over', () => new Set<string>());
