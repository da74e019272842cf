import { and, inArray, isNull, lt, or } from 'drizzle-orm';
import { sealDeletionLink, sealDisavowalLink, sealEmailUndoLink, sealResetLink } from '@/lib/server/codes';
import { getEffect, REMINDER_HOURS, WARNING_HOURS } from '@/lib/server/policy';
import { countNotice, env, log } from '@/lib/server/runtime';
import {
  afterSeconds,
  getStore,
  GIVE_UP_AFTER_SECONDS,
  isDue,
  type Job,
  type JobHandler,
  jobs,
  type NoticeBrand,
  readLanguage,
  readRecoveryEmail,
  type Records,
  WEBHOOK_KINDS,
} from '@/lib/server/storage';
import { chooseLanguage } from '@/lib/shared/i18n/choose-language';
import { getActionUrl } from '../email-context';
import { isRefusedRecipient, sendEmail, type EmailContext, type EmailRequest } from '../email';
import { EMAIL_KINDS, type ChangeEmail, type EmailKind } from '../email/email-contents';
import { sendWebhook, WebhookError } from '../webhooks';
import { COPY_KIND, getNoticeKind, type NoticeBody, type NoticeEmail } from './outbox';

/** Sends a notice to the mail server or the webhook's receiver. @throws ApiProblem `mail-unavailable`; WebhookError */
async function sendNotice({ id, uid, receiver, claimedAt, ...job }: Job, records: Records): Promise<void> {
  const body = job.body as NoticeBody;
  if (body.channel === 'webhook') return sendWebhook(receiver, id, body.event);
  if (await getStore().hasAny([getSentKey(id)])) return;
  const { to, email, brand } = body;
  if (job.kind === COPY_KIND && !(await isRecoveryEmail(records, uid ?? '', to))) return;
  const account = await records.query((tx) => readLanguage(tx, uid ?? ''));
  // The account's own language comes first, because another person's request may have caused the notice.
  const chosen = chooseLanguage({ account, origin: brand.language }, env().LOCALES);
  // A press of the recovery email's link must not prove that it is the account's email.
  const reader = job.kind === COPY_KIND ? { proves: '', copyTo: to } : { proves: to, copyTo: '' };
  await sendEmail(to, await toEmailRequest(bringUpToDate(email, claimedAt), reader, brand), {
    ...brand,
    id,
    uid: uid ?? undefined,
    language: chosen.language,
  });
}

/** A copy can wait for an hour, or for the mail server. Its mailbox may be another person's by then. */
async function isRecoveryEmail(records: Records, uid: string, email: string): Promise<boolean> {
  const found = await records.query((tx) => readRecoveryEmail(tx, uid));
  return found?.email === email;
}

const getSentKey = (id: string) => `notice-sent:${id}`;

/**
 * Sends an email immediately that the database did not take. The outbox may still have it, because a `COMMIT` can
 * succeed and its response be lost. A mark prevents any process from sending it again.
 * @param id id of the notice that could not be written
 * @throws ApiProblem `mail-unavailable`
 */
export async function sendUnwritten(id: string, to: string, email: ChangeEmail, context: EmailContext): Promise<void> {
  await sendEmail(to, email, { ...context, id });
  await getStore().set(getSentKey(id), '1', GIVE_UP_AFTER_SECONDS);
}

/** Minimum number of hours between the last email about a change and the change. A late email states the later time. */
const HOURS_LEFT: Partial<Record<EmailKind, number>> = {
  'deletion-reminder': REMINDER_HOURS,
  'factor-reset-warning': WARNING_HOURS,
};

function bringUpToDate(email: NoticeEmail, sentAt: Date): NoticeEmail {
  const hours = HOURS_LEFT[email.kind];
  if (hours === undefined || !('effectiveAt' in email)) return email;
  return { ...email, effectiveAt: getEffect(new Date(email.effectiveAt), sentAt, hours).toISOString() };
}

/** `proves`: the mailbox that the link proves, or an empty text. `copyTo`: the recovery email that gets a copy, or an empty text. */
type Reader = { proves: string; copyTo: string };

async function toEmailRequest(
  email: NoticeEmail,
  { proves, copyTo }: Reader,
  { origin }: NoticeBrand,
): Promise<EmailRequest> {
  const target = { origin, callback: undefined };
  if ('deletion' in email) {
    const { kind, effectiveAt } = email;
    return { kind, effectiveAt, link: getActionUrl('keepAccount', await sealDeletionLink(email), target) };
  }
  if ('reset' in email) {
    const { kind, effectiveAt } = email;
    return {
      kind,
      effectiveAt,
      link: getActionUrl('keepSecondFactor', await sealResetLink({ ...email, copyTo }), target),
    };
  }
  if ('change' in email && email.kind !== 'support-change') {
    const { kind } = email;
    return { kind, link: getActionUrl('undoEmailChange', await sealEmailUndoLink({ ...email, copyTo }), target) };
  }
  if ('session' in email) {
    const { kind, at, browser, system, uid, session } = email;
    const again = kind === 'disavowal-link' ? '1' : '';
    const code = await sealDisavowalLink({ uid, session, at, to: proves, again, copyTo });
    return { kind, at, browser, system, link: getActionUrl('disavowSignIn', code, target) };
  }
  return email;
}

/** Describes a failure for the outbox: a kind of error and a status, never a message, which can contain an address. */
export function describeFailure(error: unknown): { code: string; isPermanent: boolean } {
  const source = (error instanceof Error && error.name === 'ApiProblem' ? error.cause : error) ?? {};
  const { code, responseCode, name } = source as Record<'code' | 'responseCode' | 'name', unknown>;
  const words = [code ?? name, responseCode].filter((word) => typeof word === 'string' || typeof word === 'number');
  return { code: words.join(' ').slice(0, MAX_CODE_LENGTH) || 'unknown', isPermanent: isRefusedRecipient(source) };
}

const MAX_CODE_LENGTH = 60;

const judge = (error: unknown) => ({
  ...describeFailure(error),
  isAway: error instanceof WebhookError && error.isAway,
});

function report(job: Job, failure: Parameters<JobHandler['report']>[1]): void {
  const kind = getNoticeKind(job.body as NoticeBody);
  countNotice(kind, failure === null ? 'sent' : failure.isGivenUp ? 'failed' : 'retried');
  if (failure === null) return;
  const { id, attempts, receiver } = job;
  const isWebhook = (job.body as NoticeBody).channel === 'webhook';
  const variable = !isWebhook ? 'SMTP_URL' : receiver === null ? 'WEBHOOK_URL' : 'WEBHOOKS_FILE';
  const entry = {
    notice: id,
    kind,
    attempts,
    reason: failure.code,
    variable,
    ...(receiver !== null && { receiver }),
  };
  if (failure.isGivenUp) log().error(entry, 'a notice was given up');
  else log().warn(entry, 'a notice could not be sent');
}

const common = {
  giveUpAfterSeconds: GIVE_UP_AFTER_SECONDS,
  kept: 'done and failed',
  work: sendNotice,
  judge,
  report,
} as const;

/** A webhook that is not accepted within this time counts as waiting, although it is retried later. */
const LATE_SECONDS = 900;

const isEmail = and(isNull(jobs.receiver), inArray(jobs.kind, [...EMAIL_KINDS, COPY_KIND]));
const isWebhook = inArray(jobs.kind, [...WEBHOOK_KINDS]);
const isLate = lt(jobs.createdAt, afterSeconds(-LATE_SECONDS));

/** Emails about an account (docs/adr/0028). */
export const emailJobs: JobHandler = { ...common, isOwn: isEmail, isWaiting: and(isEmail, isDue) };

/** Webhooks. */
export const webhookJobs: JobHandler = {
  ...common,
  isOwn: isWebhook,
  isWaiting: and(isWebhook, or(isDue, isLate)),
  byReceiver: 'webhooks',
};
