import type { ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { and, count, eq, gt, inArray, lte, or, type SQL } from 'drizzle-orm';
import { reportError } from '@/lib/shared/error-reporting/report';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { isApiProblem } from '@/lib/shared/problem';
import { assertPlaceBehindResponse, finishBeforeExit, reportFailure, runBehindResponse } from '@/lib/server/http';
import { decideRetry, describeFailure, type FlowContext, sendEmail } from '@/lib/server/notifications';
import { digest, processWide, recordUnsentEmail } from '@/lib/server/runtime';
import {
  getRecords,
  hasRecords,
  isRecordsError,
  recordFailedRecords,
  afterLease,
  afterSeconds,
  claimNext,
  consumeLimit,
  drainDue,
  getStore,
  now,
  requestedEmails,
  type Records,
  RECORDS_TIMEOUT_MS,
} from '@/lib/server/storage';
import { retryWhileUnavailable, withAccountLock } from '@/lib/server/identity';
import {
  openOrder,
  REQUESTED_EMAIL_KINDS,
  REQUESTED_EMAIL_TTL_SECONDS,
  sealOrder,
  type EmailOrder,
  type RequestedEmail,
} from './requested-email';
import { emailConfirmation } from './confirmation';
import { emailReset, requestSignInLink, sendSignInHelp } from './recovery';
import { emailRegistrationAgain, RegistrationAwaited, registerAccount } from './registration';

/** Emails of killed processes that a process sends at the same time. */
const SENDERS = 4;
/** A third of a lease, in milliseconds: one that fails leaves time for the next. */
const LEASE_RENEWAL_MS = 20_000;

/**
 * Sends an email behind the response. It is written to the database first, if there is one: a process that is killed loses nothing.
 * The write knows nothing about the account.
 * @throws ApiProblem `too-many-requests` when too many emails of the client's network, or of all, wait
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
    work: (records) => (records === null ? sendFromMemory(order) : sendOwn(records, order)),
  });
}

/** Before budgets of the mailbox are used up, which are its owner's, too. @throws ApiProblem `too-many-requests` as `sendBehindResponse` */
export function assertPlaceForEmail(context: FlowContext): void {
  assertPlaceBehindResponse(getNetwork(context));
}

const getNetwork = ({ client }: FlowContext): string => client?.network ?? 'unknown';

/** @returns null without a database, or while it is away: an email is rather kept in memory than not sent */
export async function storeOrder(order: EmailOrder): Promise<Records | null> {
  const during = 'writing a requested email';
  try {
    return await promiseTimeout(writeOrder(order), RECORDS_TIMEOUT_MS);
  } catch (error) {
    if (isRecordsError(error)) recordFailedRecords(error, during);
    else reportError(error, { during });
    return null;
  }
}

async function writeOrder(order: EmailOrder): Promise<Records | null> {
  const { id, at, email, context } = order;
  // First: without the database this email is still sent, and an earlier one must not follow it.
  if ('code' in email && context.flow !== undefined)
    await getStore().set(getNewestKey(context.flow), String(at), REQUESTED_EMAIL_TTL_SECONDS);
  if (email.kind === 'registration')
    await getStore().set(
      getNewestRegistrationKey(email.account.email),
      `${String(at)} ${id} ${email.account.uid}`,
      REQUESTED_EMAIL_TTL_SECONDS,
    );
  if (!hasRecords()) return null;
  const [records, sealed] = await Promise.all([getRecords(), sealOrder(order)]);
  await insertRequestedEmail(records, { id, kind: email.kind, sealed });
  return records;
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

/** How long "Resend code" waits for its registration without the database, in seconds: longer than that may wait for its turn. */
const AWAITED_SECONDS = 90;

/** Without the database. What is to be tried again later is lost with this process. */
async function sendFromMemory(order: EmailOrder, attempt = ONCE): Promise<void> {
  try {
    await sendRequestedEmail(order, attempt);
  } catch (error) {
    if (!(error instanceof RegistrationAwaited)) throw error;
    const again = () => sendFromMemory(order, { repeatedSince: new Date(order.at), isLast: true });
    const context = { during: 'sending an email', kind: order.email.kind };
    const run = () => finishBeforeExit(again().catch((cause: unknown) => reportFailure(cause, context)));
    setTimeout(run, (error.seconds ?? AWAITED_SECONDS) * 1000).unref();
  }
}

async function sendOwn(records: Records, order: EmailOrder): Promise<void> {
  let claimed: ClaimedEmail | null;
  try {
    claimed = await claimOwnEmail(records, order.id);
  } catch (error) {
    if (!isRecordsError(error)) throw error;
    // The database went away meanwhile. The row stays, so that the email may be sent twice, with one `Message-ID`.
    return sendFromMemory(order);
  }
  // This process was so busy that another one has taken it.
  if (claimed !== null) await attempt(records, claimed, null);
}

/** Sends the emails that other processes, or failed attempts, have left. @throws RecordsError */
export async function sendDueEmails(records: Records): Promise<void> {
  await drainDue(
    () => claimDueEmail(records),
    (claimed) => attempt(records, claimed, claimed.createdAt),
    SENDERS,
  );
}

async function attempt(records: Records, claimed: ClaimedEmail, repeatedSince: Date | null): Promise<void> {
  const { id, kind, sealed, attempts, ageSeconds, createdAt } = claimed;
  const delay = decideRetry({ attempts, ageSeconds, isPermanent: false }, REQUESTED_EMAIL_TTL_SECONDS);
  const send = async () =>
    sendRequestedEmail(await openOrder(sealed, createdAt), { repeatedSince, isLast: delay === null });
  try {
    if (!handedOver().has(id)) await renewLease(records, claimed, send);
  } catch (error) {
    if (!(error instanceof RegistrationAwaited)) {
      reportFailure(error, { during: 'sending an email', kind, attempts });
      if (!isCountedElsewhere(error)) recordUnsentEmail(kind);
    }
    // Unreadable, or refused for what a visitor has entered: the same next time.
    const isLost = isApiProblem(error) && ['code-expired', 'code-missing', 'bad-request'].includes(error.code);
    const wait = (error instanceof RegistrationAwaited ? error.seconds : null) ?? delay;
    await (wait === null || isLost || describeFailure(error).isPermanent
      ? deleteRequestedEmail(records, id)
      : postponeRequestedEmail(records, claimed, afterSeconds(wait)));
    return;
  }
  handedOver().add(id);
  await deleteRequestedEmail(records, id);
  handedOver().delete(id);
}

/** The handover to the mail server counts its own failures; limits and refused input are no failures. */
function isCountedElsewhere(error: unknown): boolean {
  return isApiProblem(error) && ['mail-unavailable', 'bad-request', 'too-many-requests'].includes(error.code);
}

/** Four tries with all their timeouts take longer than a lease: it is renewed, so that no other process begins meanwhile. */
async function renewLease(records: Records, claimed: ClaimedEmail, work: () => Promise<void>): Promise<void> {
  // While the database is away, no other process can claim it either.
  const renew = () => void postponeRequestedEmail(records, claimed, afterLease).catch(() => undefined);
  const renewal = setInterval(renew, LEASE_RENEWAL_MS);
  try {
    await work();
  } finally {
    clearInterval(renewal);
  }
}

/** Sent by this process, and not yet deleted: while the database is away, they must not be sent again. */
const handedOver = () => processWide('emails-handed-over', () => new Set<string>());

/**
 * `repeatedSince`: when the email was requested, if it may have been sent before, or is late; null where that was just now. `isLast`:
 * there were others, and if this one fails, there is none after it.
 */
type Attempt = { repeatedSince: Date | null; isLast: boolean };

/** Of an email that is kept in memory alone: what it is about may still be under way. */
const ONCE: Attempt = { repeatedSince: null, isLast: false };

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
      case 'factor-reset-code':
        return sendEmail(email.email, { kind: 'factor-reset-code', code: email.code }, context);
    }
  });
}

// The table of emails that a response has promised. All times are those of the database.

/** One that this process may send until its lease ends. */
type ClaimedEmail = {
  id: string;
  kind: string;
  sealed: string;
  /** This one included. */
  attempts: number;
  createdAt: Date;
  ageSeconds: number;
};

/** Writes one, and leaves it to this process for the time of a lease. */
export async function insertRequestedEmail(
  records: Records,
  given: { id: string; kind: string; sealed: string },
): Promise<void> {
  await records.query((tx) =>
    tx.insert(requestedEmails).values({ ...given, createdAt: now, dueAt: afterLease, attempts: 0 }),
  );
}

/** Takes the one that this process has written. @returns null when another process has taken it meanwhile */
function claimOwnEmail(records: Records, id: string): Promise<ClaimedEmail | null> {
  return claim(records, and(eq(requestedEmails.id, id), eq(requestedEmails.attempts, 0)));
}

/** Takes the one that has been due for longest, for this process alone. @returns null when none is due */
function claimDueEmail(records: Records): Promise<ClaimedEmail | null> {
  return claim(records, and(lte(requestedEmails.dueAt, now), inArray(requestedEmails.kind, REQUESTED_EMAIL_KINDS)));
}

function claim(records: Records, condition: ReturnType<typeof and>): Promise<ClaimedEmail | null> {
  return records.query(async (tx) => {
    const claimed = await claimNext(tx, requestedEmails, condition);
    if (claimed === null) return null;
    const { row, now } = claimed;
    return { ...row, ageSeconds: (now.getTime() - row.createdAt.getTime()) / 1000 };
  });
}

/** Deletes one that was sent, or given up. */
async function deleteRequestedEmail(records: Records, id: string): Promise<void> {
  await records.query((tx) => tx.delete(requestedEmails).where(eq(requestedEmails.id, id)));
}

/** Lets one be sent again after a failure, or not before this process has finished, unless another one has taken it. */
async function postponeRequestedEmail(records: Records, { id, attempts }: ClaimedEmail, dueAt: SQL): Promise<void> {
  const own = and(eq(requestedEmails.id, id), eq(requestedEmails.attempts, attempts));
  await records.query((tx) => tx.update(requestedEmails).set({ dueAt }).where(own));
}

/** How many wait: those whose lease has ended, and those whose first attempts failed, also between two attempts. */
export function countDueEmails(records: Records): Promise<number> {
  return records.query(async (tx) => {
    const isWaiting = or(lte(requestedEmails.dueAt, now), gt(requestedEmails.attempts, 1));
    const [row] = await tx.select({ due: count() }).from(requestedEmails).where(isWaiting);
    return row?.due ?? 0;
  });
}
