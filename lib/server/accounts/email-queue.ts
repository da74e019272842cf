import type { ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { and, inArray, isNull } from 'drizzle-orm';
import { isApiProblem } from '@/lib/shared/problem';
import { isLanguage } from '@/lib/shared/i18n/languages';
import { assertPlaceBehindResponse, finishBeforeExit, reportFailure, runBehindResponse } from '@/lib/server/http';
import { describeFailure, type FlowContext, getOwnBrand, sendEmail } from '@/lib/server/notifications';
import { env, recordUnsentEmail } from '@/lib/server/runtime';
import {
  afterLease,
  getStore,
  isDue,
  type JobHandler,
  jobs,
  now,
  readLanguage,
  type Records,
  getRecords,
  runOwnJob,
  withRecordsInTime,
} from '@/lib/server/storage';
import { retryWhileUnavailable } from '@/lib/server/identity';
import {
  openOrder,
  REQUESTED_EMAIL_KINDS,
  REQUESTED_EMAIL_TTL_SECONDS,
  sealOrder,
  type EmailOrder,
  type RequestedEmail,
} from './requested-email';
import { emailSignIn } from './emailed-sign-in';
import { emailChangeCode } from './email-change';
import { emailReset, emailResetLink, sendSignInHelp } from './recovery';
import { emailCode } from './registration';

/**
 * Sends an email behind the response. It writes the email to the database first, so that a killed process loses nothing.
 * The write reads nothing about the account.
 * @throws ApiProblem `too-many-requests` if too many emails wait, of the client's network or in total; a code of
 *   `storeOrder`
 */
export async function sendBehindResponse(
  res: ServerResponse,
  email: RequestedEmail,
  context: FlowContext,
): Promise<void> {
  const order = { id: randomUUID(), at: Date.now(), email, context };
  await runBehindResponse(res, {
    during: 'sending an email',
    network: getNetwork(context),
    before: () => storeOrder(order),
    // If the database went away meanwhile, the row stays and is due when its lease ends.
    work: (records) =>
      records === null ? sendRequestedEmail(order, ONLY) : runOwnJob(records, requestedEmailJobs, order.id),
  });
}

/**
 * Sends an email by order of an operator, who gets none of its contents. It is written first, so that a process that is
 * killed loses nothing.
 * @param uid of the account, whose language the email has
 * @throws ApiProblem `records-unavailable`
 */
export async function sendByOrder(
  uid: string,
  email: { kind: 'sign-in-help' | 'support-reset'; email: string },
): Promise<void> {
  const id = randomUUID();
  const own = getOwnBrand();
  const stored = await withRecordsInTime((records) => records.query((tx) => readLanguage(tx, uid)));
  const language = stored !== null && isLanguage(stored) ? stored : own.language;
  const records = await storeOrder({
    id,
    at: Date.now(),
    email,
    context: { ...own, uid, language, callback: undefined },
  });
  if (records !== null) finishBeforeExit(runOwnJob(records, requestedEmailJobs, id));
}

/**
 * Asserts that an email can wait. Call it before you use up budgets of the mailbox, which are also its owner's.
 * @throws ApiProblem `too-many-requests`
 */
export function assertPlaceForEmail(context: FlowContext): void {
  assertPlaceBehindResponse(getNetwork(context));
}

const getNetwork = ({ client }: FlowContext): string => client?.network ?? 'unknown';

/**
 * Writes an email to the database.
 * @returns null if another deployment has the accounts, because this one then has no database
 * @throws ApiProblem `records-unavailable`, because a response must not promise an email that could be lost
 */
export async function storeOrder(order: EmailOrder): Promise<Records | null> {
  const records = env().SESSION_BACKEND === 'upstream' ? null : await writeOrder(order);
  const { at, email, context } = order;
  // Do this after the write. An email that was not written must not replace one that was.
  if ('code' in email && context.flow !== undefined)
    await getStore().set(getNewestKey(context.flow), String(at), REQUESTED_EMAIL_TTL_SECONDS);
  return records;
}

async function writeOrder(order: EmailOrder): Promise<Records> {
  const sealed = await sealOrder(order);
  await withRecordsInTime((records) => insertRequestedEmail(records, { id: order.id, kind: order.email.kind, sealed }));
  return getRecords();
}

const getNewestKey = (flow: string) => `newest-code:${flow}`;

/**
 * Whether a later code of the flow was requested. Only the latest code works, so its email must arrive last. It compares
 * times, because an earlier email may have been stored while the store was away for this one.
 */
async function hasLaterCode({ at, email, context: { flow } }: EmailOrder): Promise<boolean> {
  if (!('code' in email) || flow === undefined) return false;
  return Number(await getStore().get(getNewestKey(flow))) > at;
}

const isRequested = isNull(jobs.uid);

/** Emails that a response has promised (docs/adr/0008). */
export const requestedEmailJobs: JobHandler = {
  isOwn: and(isRequested, inArray(jobs.kind, REQUESTED_EMAIL_KINDS)),
  // A failed attempt is counted by `emails_total`. One mailbox that defers must not look like an outage.
  isWaiting: and(isRequested, isDue),
  giveUpAfterSeconds: REQUESTED_EMAIL_TTL_SECONDS,
  kept: 'none',
  work: async ({ payload, createdAt, isFresh }) => {
    const order = await openOrder(payload ?? '', createdAt);
    await sendRequestedEmail(order, { isRepeated: !isFresh });
  },
  judge: (error) => {
    const { code, isPermanent } = describeFailure(error);
    // The order cannot be read, or the visitor's input was refused. Another attempt would fail as well.
    const isLost = isApiProblem(error) && ['code-expired', 'code-missing', 'bad-request'].includes(error.code);
    return { code, isPermanent: isPermanent || isLost };
  },
  report: (job, failure) => {
    if (failure === null) return;
    reportFailure(failure.error, { during: 'sending an email', kind: job.kind, attempts: job.attempts });
    if (!isCountedElsewhere(failure.error)) recordUnsentEmail(job.kind);
  },
};

/** Whether a failure is counted by the handover to the mail server, or is none, as a limit or refused input. */
function isCountedElsewhere(error: unknown): boolean {
  return isApiProblem(error) && ['mail-unavailable', 'bad-request', 'too-many-requests'].includes(error.code);
}

/** `isRepeated`: an earlier attempt may have sent the email. */
type Attempt = { isRepeated: boolean };

/** The attempt of an email that is not in the database. */
const ONLY: Attempt = { isRepeated: false };

/**
 * Reads the account and sends the email. It may run again after any interruption, and the email then has the same
 * `Message-ID`.
 * @throws ApiProblem `mail-unavailable`, 503
 */
async function sendRequestedEmail(order: EmailOrder, attempt: Attempt): Promise<void> {
  const { id, email, context: given } = order;
  if (await hasLaterCode(order)) return;
  const context = { ...given, id };
  await retryWhileUnavailable(async () => {
    switch (email.kind) {
      case 'reset':
        return emailReset(email, context);
      case 'confirmation':
        return emailCode(email, context, attempt);
      case 'sign-in-help':
        return sendSignInHelp(email.email, context);
      case 'sign-in-link':
        return emailSignIn(email, context);
      case 'support-reset':
        return emailResetLink(email.email, context);
      case 'factor-reset-code':
        return sendEmail(email.email, { kind: 'factor-reset-code', code: email.code }, context);
      case 'email-change':
      case 'recovery-email':
        return emailChangeCode(email, context);
    }
  });
}

/** Writes an email, with a lease for this process. */
export async function insertRequestedEmail(
  records: Records,
  { sealed, ...given }: { id: string; kind: string; sealed: string },
): Promise<void> {
  await records.query((tx) => tx.insert(jobs).values({ ...given, payload: sealed, createdAt: now, dueAt: afterLease }));
}
