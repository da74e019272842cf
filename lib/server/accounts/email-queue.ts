import type { ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { and, gt, inArray, isNull, or } from 'drizzle-orm';
import { isApiProblem } from '@/lib/shared/problem';
import { isLanguage } from '@/lib/shared/i18n/languages';
import { assertPlaceBehindResponse, finishBeforeExit, reportFailure, runBehindResponse } from '@/lib/server/http';
import { describeFailure, type FlowContext, getOwnBrand, sendEmail } from '@/lib/server/notifications';
import { digest, env, recordUnsentEmail } from '@/lib/server/runtime';
import {
  afterLease,
  consumeLimit,
  getStore,
  isDue,
  type JobHandler,
  jobs,
  now,
  readLanguage,
  type Records,
  getRecords,
  runOwnJob,
  withAccountLock,
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
import { emailConfirmation } from './confirmation';
import { emailReset, emailResetLink, requestSignInLink, sendSignInHelp } from './recovery';
import { emailRegistrationAgain, RegistrationAwaited, registerAccount } from './registration';

/**
 * Sends an email behind the response. It is written to the database first: a process that is killed loses nothing.
 * The write knows nothing about the account.
 * @throws ApiProblem `too-many-requests` when too many emails of the client's network, or of all, wait; as `storeOrder`
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
    // The database went away meanwhile: its row stays, and is due when the lease ends.
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

/** Before budgets of the mailbox are used up, which are its owner's, too. @throws ApiProblem `too-many-requests` as `sendBehindResponse` */
export function assertPlaceForEmail(context: FlowContext): void {
  assertPlaceBehindResponse(getNetwork(context));
}

const getNetwork = ({ client }: FlowContext): string => client?.network ?? 'unknown';

/**
 * @returns null with accounts at another deployment, which has no database
 * @throws ApiProblem `records-unavailable`: an email that could be lost is not promised
 */
export async function storeOrder(order: EmailOrder): Promise<Records | null> {
  const records = env().SESSION_BACKEND === 'upstream' ? null : await writeOrder(order);
  const { id, at, email, context } = order;
  // Afterwards: one that was not written replaces none that was.
  if ('code' in email && context.flow !== undefined)
    await getStore().set(getNewestKey(context.flow), String(at), REQUESTED_EMAIL_TTL_SECONDS);
  if (email.kind === 'registration')
    await getStore().set(
      getNewestRegistrationKey(email.account.email),
      `${String(at)} ${id} ${email.account.uid}`,
      REQUESTED_EMAIL_TTL_SECONDS,
    );
  return records;
}

async function writeOrder(order: EmailOrder): Promise<Records> {
  const sealed = await sealOrder(order);
  await withRecordsInTime((records) => insertRequestedEmail(records, { id: order.id, kind: order.email.kind, sealed }));
  return getRecords();
}

const getNewestKey = (flow: string) => `newest-code:${flow}`;

/**
 * Whether a later code of its flow was asked for: that one alone works, so it must be the last to arrive. By its time: what is stored is of
 * an earlier email when the store was away for this one.
 */
async function hasLaterCode({ at, email, context: { flow } }: EmailOrder): Promise<boolean> {
  if (!('code' in email) || flow === undefined) return false;
  return Number(await getStore().get(getNewestKey(flow))) > at;
}

type RegistrationEmail = Extract<RequestedEmail, { kind: 'registration' }>;

const getNewestRegistrationKey = (email: string) => `newest-registration:${digest(email)}`;

/** The newest registration of an email: when it was ordered, and the ids of its order and of its account. */
async function readNewestRegistration(email: string) {
  const [at, id, uid] = (await getStore().get(getNewestRegistrationKey(email)))?.split(' ') ?? [];
  return { at: Number(at), id, uid };
}

/** Whether its email was registered once more since, by whichever browser: that registration replaces it. */
async function isOvertaken({ id, at }: EmailOrder, email: RegistrationEmail): Promise<boolean> {
  const newest = await readNewestRegistration(email.account.email);
  return newest.id !== undefined && newest.id !== id && newest.at >= at;
}

/**
 * Registrations of one email take turns, and those that were overtaken meanwhile are dropped: however many networks they come from, few make
 * an email, and that of the newest is the last. Beyond the limit it waits.
 * @throws RegistrationAwaited when it is to be tried again later; as `registerAccount`
 */
async function registerInTurn(
  order: EmailOrder,
  email: RegistrationEmail,
  register: () => Promise<void>,
): Promise<void> {
  const key = digest(email.account.email);
  // Also before it waits for those that are carried out.
  if (await isOvertaken(order, email)) return;
  let isTurn = false;
  const carryOut = async () => {
    isTurn = true;
    if (await isOvertaken(order, email)) return;
    const turn = await consumeLimit('registration-of-address', key).catch((error: unknown) => {
      const wait = isApiProblem(error) ? error.options.retryAfter : undefined;
      throw wait === undefined ? error : new RegistrationAwaited(wait);
    });
    try {
      await register();
    } catch (error) {
      await turn.giveBack();
      throw error;
    }
  };
  // Another process has the turn for longer than a lock is waited for, as while the mail server is slow: no outage.
  await withAccountLock(`registering:${key}`, carryOut).catch((error: unknown) => {
    throw isTurn || !isApiProblem(error) ? error : new RegistrationAwaited();
  });
}

const isRequested = isNull(jobs.uid);

/** Emails that a response has promised (docs/adr/0008). */
export const requestedEmailJobs: JobHandler = {
  isOwn: and(isRequested, inArray(jobs.kind, REQUESTED_EMAIL_KINDS)),
  // Those whose lease has ended, and those whose first attempts failed, also between two attempts.
  isWaiting: and(isRequested, or(isDue, gt(jobs.attempts, 1))),
  giveUpAfterSeconds: REQUESTED_EMAIL_TTL_SECONDS,
  kept: 'none',
  work: async ({ payload, createdAt, isFresh, nextDelay }) => {
    const order = await openOrder(payload ?? '', createdAt);
    await sendRequestedEmail(order, { repeatedSince: isFresh ? null : createdAt, isLast: nextDelay === null });
  },
  judge: (error) => {
    const { code, isPermanent } = describeFailure(error);
    // Unreadable, or refused for what a visitor has entered: the same next time.
    const isLost = isApiProblem(error) && ['code-expired', 'code-missing', 'bad-request'].includes(error.code);
    const retryAfter = error instanceof RegistrationAwaited ? (error.seconds ?? undefined) : undefined;
    return { code, isPermanent: isPermanent || isLost, retryAfter };
  },
  report: (job, failure) => {
    if (failure === null || failure.error instanceof RegistrationAwaited) return;
    reportFailure(failure.error, { during: 'sending an email', kind: job.kind, attempts: job.attempts });
    if (!isCountedElsewhere(failure.error)) recordUnsentEmail(job.kind);
  },
};

/** The handover to the mail server counts its own failures; limits and refused input are no failures. */
function isCountedElsewhere(error: unknown): boolean {
  return isApiProblem(error) && ['mail-unavailable', 'bad-request', 'too-many-requests'].includes(error.code);
}

/**
 * `repeatedSince`: when the email was requested, if it may have been sent before, or is late; null where that was just now. `isLast`:
 * there were others, and if this one fails, there is none after it.
 */
type Attempt = { repeatedSince: Date | null; isLast: boolean };

/** Of an email that is written nowhere. */
const ONLY: Attempt = { repeatedSince: null, isLast: true };

/**
 * Reads the account and sends the email. May run again after it was interrupted anywhere: the email then has the same `Message-ID`.
 * @throws ApiProblem `mail-unavailable`, 503; RegistrationAwaited
 */
async function sendRequestedEmail(order: EmailOrder, attempt: Attempt): Promise<void> {
  const { id, email, context: given } = order;
  // A registration is carried out all the same.
  if (email.kind !== 'registration' && (await hasLaterCode(order))) return;
  const context = { ...given, id };
  await retryWhileUnavailable(async () => {
    switch (email.kind) {
      case 'reset':
        return emailReset(email, context);
      case 'registration':
        return registerInTurn(order, email, async () =>
          registerAccount(email, context, { isSuperseded: await hasLaterCode(order) }),
        );
      case 'registration-again':
        return emailRegistrationAgain(email, context, {
          ...attempt,
          isNewest: (await readNewestRegistration(email.pending.email)).uid === email.pending.uid,
        });
      case 'confirmation':
        return emailConfirmation(email.pending, email.code, context);
      case 'sign-in-help':
        return sendSignInHelp(email.email, context);
      case 'sign-in-link':
        return requestSignInLink(email.email, context);
      case 'support-reset':
        return emailResetLink(email.email, context);
      case 'factor-reset-code':
        return sendEmail(email.email, { kind: 'factor-reset-code', code: email.code }, context);
    }
  });
}

/** Writes one, and leaves it to this process for the time of a lease. */
export async function insertRequestedEmail(
  records: Records,
  { sealed, ...given }: { id: string; kind: string; sealed: string },
): Promise<void> {
  await records.query((tx) => tx.insert(jobs).values({ ...given, payload: sealed, createdAt: now, dueAt: afterLease }));
}
