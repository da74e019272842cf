import { sealDeletionLink, sealDisavowalLink, sealResetLink } from '@/lib/server/codes';
import { getEffect, REMINDER_HOURS, WARNING_HOURS } from '@/lib/server/policy';
import { countNotice, env, log, processWide } from '@/lib/server/runtime';
import { drainByTarget, drainDue, getStore, notices, type NoticeBrand, type Records } from '@/lib/server/storage';
import { chooseLanguage } from '@/lib/shared/i18n/choose-language';
import { getActionUrl } from '../email-context';
import { isRefusedRecipient, sendEmail, type EmailContext, type EmailRequest } from '../email';
import type { ChangeEmail, EmailKind } from '../email/email-contents';
import { sendWebhook, WebhookError } from '../webhooks';
import {
  claimNotice,
  failAttempt,
  getNoticeKind,
  GIVE_UP_AFTER_SECONDS,
  isEmail,
  isForReceiver,
  listDueReceivers,
  settleNotice,
  type Notice,
  type NoticeEmail,
} from './outbox';

/** Hands a notice to the mail server or the webhook's receiver. @throws ApiProblem `mail-unavailable`; WebhookError */
async function sendNotice({
  id,
  body,
  language,
  receiver,
  claimedAt,
}: Pick<Notice, 'id' | 'body' | 'language' | 'receiver' | 'claimedAt'>): Promise<void> {
  if (body.channel === 'webhook') return sendWebhook(receiver, id, body.event);
  if (await getStore().hasAny([getSentKey(id)])) return;
  const { to, email, brand } = body;
  // The account's own first: another person's request may have caused it.
  const chosen = chooseLanguage({ account: language, origin: brand.language }, env().LOCALES);
  await sendEmail(to, await toEmailRequest(bringUpToDate(email, claimedAt), to, brand), {
    ...brand,
    id,
    language: chosen.language,
  });
}

const getSentKey = (id: string) => `notice-sent:${id}`;

/**
 * Sends an email at once that the database did not take. The outbox may have it all the same: a `COMMIT` can be carried out, and its answer
 * lost. Then no process sends it again.
 * @param id of the notice that was to be written
 * @throws ApiProblem `mail-unavailable`
 */
export async function sendUnwritten(id: string, to: string, email: ChangeEmail, context: EmailContext): Promise<void> {
  await sendEmail(to, email, { ...context, id });
  await getStore().set(getSentKey(id), '1', GIVE_UP_AFTER_SECONDS);
}

/** The last emails before a change: late, they say when it comes by then. */
const HOURS_LEFT: Partial<Record<EmailKind, number>> = {
  'deletion-reminder': REMINDER_HOURS,
  'factor-reset-warning': WARNING_HOURS,
};

function bringUpToDate(email: NoticeEmail, sentAt: Date): NoticeEmail {
  const hours = HOURS_LEFT[email.kind];
  if (hours === undefined || !('effectiveAt' in email)) return email;
  return { ...email, effectiveAt: getEffect(new Date(email.effectiveAt), sentAt, hours).toISOString() };
}

async function toEmailRequest(email: NoticeEmail, to: string, { origin }: NoticeBrand): Promise<EmailRequest> {
  const target = { origin, callback: undefined };
  if ('deletion' in email) {
    const { kind, effectiveAt } = email;
    return { kind, effectiveAt, link: getActionUrl('keepAccount', await sealDeletionLink(email), target) };
  }
  if ('reset' in email) {
    const { kind, effectiveAt } = email;
    return { kind, effectiveAt, link: getActionUrl('keepSecondFactor', await sealResetLink(email), target) };
  }
  if ('session' in email) {
    const { kind, at, browser, system, uid, session } = email;
    const again = kind === 'disavowal-link' ? '1' : '';
    const code = await sealDisavowalLink({ uid, session, at, to, again });
    return { kind, at, browser, system, link: getActionUrl('disavowSignIn', code, target) };
  }
  return email;
}

/** What the outbox stores of a failure: a kind of error and a status, never a message, which can contain an address. */
export function describeFailure(error: unknown): { code: string; isPermanent: boolean } {
  const source = (error instanceof Error && error.name === 'ApiProblem' ? error.cause : error) ?? {};
  const { code, responseCode, name } = source as Record<'code' | 'responseCode' | 'name', unknown>;
  const words = [code ?? name, responseCode].filter((word) => typeof word === 'string' || typeof word === 'number');
  return { code: words.join(' ').slice(0, MAX_CODE_LENGTH) || 'unknown', isPermanent: isRefusedRecipient(source) };
}

const MAX_CODE_LENGTH = 60;

/** Notices that a process sends at the same time, of emails and of each receiver: the pool of the mail server has five connections. */
const SENDERS = 4;

/**
 * Sends all emails that are due, each at least once (docs/adr/0028).
 * @throws RecordsError: the lease of what was just sent then ends, and it is sent again
 */
export async function sendDueNotices(records: Records, senders = SENDERS): Promise<void> {
  await drainDue(
    () => claimNotice(records, isEmail),
    async (notice) => void (await attempt(records, notice)),
    senders,
  );
}

/**
 * The same for webhooks. Each receiver has senders of its own: one that is slow, or fails, delays no other. One that does not answer is left
 * alone until the next round.
 */
export async function sendDueWebhooks(records: Records, senders = SENDERS): Promise<void> {
  await drainByTarget(records, 'webhooks', await listDueReceivers(records), {
    claim: (receiver) => claimNotice(records, isForReceiver(receiver)),
    send: (notice) => attempt(records, notice),
    lanes: senders,
  });
}

/** @returns whether its receiver is away */
async function attempt(records: Records, notice: Notice): Promise<boolean> {
  const { id, attempts, body, receiver } = notice;
  const kind = getNoticeKind(body);
  try {
    if (!handedOver().has(id)) await sendNotice(notice);
  } catch (error) {
    const failure = describeFailure(error);
    const isGivenUp = await failAttempt(records, notices, notice, failure);
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
    return error instanceof WebhookError && error.isAway;
  }
  handedOver().add(id);
  await settleNotice(records, notice);
  handedOver().delete(id);
  countNotice(kind, 'sent');
  return false;
}

/** Sent by this process, and not yet marked: while the database is away, they must not be sent again. */
const handedOver = () => processWide('notices-handed-over', () => new Set<string>());
