import { EMAIL_METHOD } from '@/lib/shared/sign-in-methods';
import { RESET_HOURS } from '@/lib/shared/account/security';
import { ApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { issueCode, readResetLink, readToken, redeemCode, type ReadToken } from '@/lib/server/codes';
import { findById } from '@/lib/server/identity';
import {
  cancelFactorReset,
  defineCancelLink,
  emailAboutReset,
  type FactorReset,
  holdReset,
  readFactorReset,
  readResetRequest,
  readWarningSent,
  removeReset,
  requestFactorReset,
  type ResetRequestState,
  startReset,
  toNoticeBrand,
  wakeOutbox,
} from '@/lib/server/notifications';
import {
  decideReset,
  decideResetRequest,
  type ResetFacts,
  type ResetRequestDecision,
  toProblem,
} from '@/lib/server/policy';
import { type ClientDescription, hashAccount, log } from '@/lib/server/runtime';
import type { LiveSession, SessionRequest } from '@/lib/server/session';
import {
  advanceDue,
  factorResets,
  type LockedAccount,
  postpone,
  type Records,
  withAccountLock,
  withRecords,
  withRecordsInTime,
} from '@/lib/server/storage';
import { readSecondFactor } from './factors';
import { turnOff } from './removal';
import { requireWaitingSignIn, type WaitingSignIn } from './sign-in';

type Refusal = Extract<ResetRequestDecision, { outcome: 'refuse' }>;

/** `email`: where the code is sent. `openFlow`: flow of an earlier code for the same sign-in. */
type ResetCodeRequest = {
  email: string;
  openFlow: string | null;
  issue: (flow: string) => Promise<{ code: string; token: string }>;
};

/**
 * Decides whether to email a code for a reset, for the sign-in that waits in this browser.
 * @param request `secret`: secret of that sign-in's cookie; `token`: token of an earlier code for it
 * @throws ApiProblem of `decideResetRequest`; `records-unavailable`, 503
 */
export async function requestResetCode({
  secret,
  token,
}: {
  secret: string | undefined;
  token: string | undefined;
}): Promise<ResetCodeRequest> {
  const waiting = await requireWaitingSignIn(secret);
  const { uid, digest } = waiting.pending;
  const state = await withRecordsInTime((records) => readResetRequest(records, { uid, digest }));
  const decision = decide(waiting, state);
  if (decision.outcome === 'refuse') throw toProblem(decision);
  const email = getEmail(waiting);
  const before = await readResetCode(waiting, token);
  return {
    email,
    openFlow: before?.flow ?? null,
    issue: (flow) => issueCode('factor-reset', { uid, email, signIn: digest }, { flow }),
  };
}

/** Reads this browser's code for a reset. Null without a code for the same sign-in. @param token token of the code */
export async function readResetCode(
  { pending: { digest } }: WaitingSignIn,
  token: string | undefined,
): Promise<ReadToken | null> {
  const read = await nullOnProblem(readToken('factor-reset', token));
  return read?.payload.signIn === digest ? read : null;
}

/**
 * Begins the reset of a lost second factor with the emailed code. While a reset is pending, it changes no data.
 * @param credentials `secret`: secret of the waiting sign-in's cookie; `token`: token of the code; `code`: the typed
 *   text
 * @returns when it takes effect, RFC 3339
 * @throws ApiProblem of `decideResetRequest` and `redeemCode`; `records-unavailable`, 503
 */
export async function beginReset(
  { secret, token, code }: { secret: string | undefined; token: string | undefined; code: string },
  request: SessionRequest,
): Promise<string> {
  const { uid } = (await requireWaitingSignIn(secret)).pending;
  const reset = await redeemCode('factor-reset', token, code, (payload) =>
    withAccountLock(uid, async (locked) => {
      // Check again, because a change during the wait may have ended the sign-in.
      const waiting = await requireWaitingSignIn(secret, locked);
      const { digest } = waiting.pending;
      // The code belongs to another sign-in, or to another email of the account.
      if (payload.uid !== uid || payload.signIn !== digest || payload.email !== getEmail(waiting))
        throw new ApiProblem('code-expired');
      return schedule(locked, waiting, request);
    }),
  );
  return reset.effectiveAt.toISOString();
}

async function schedule(locked: LockedAccount, waiting: WaitingSignIn, request: SessionRequest): Promise<FactorReset> {
  const { digest } = waiting.pending;
  const brand = toNoticeBrand(await request.emailContext());
  const given = { digest, email: getEmail(waiting), brand, client: request.client(), hours: RESET_HOURS };
  let refusal: Refusal | null = null;
  const reset = await withRecords((records) =>
    requestFactorReset(records, locked, given, (state) => {
      const decision = decide(waiting, state);
      refusal = decision.outcome === 'refuse' ? decision : null;
      return decision.outcome === 'begin';
    }),
  );
  wakeOutbox();
  if (refusal !== null) throw toProblem(refusal);
  if (reset === null) throw new ApiProblem('internal-error');
  return reset;
}

function decide({ pending, account }: WaitingSignIn, state: ResetRequestState): ResetRequestDecision {
  return decideResetRequest({
    signIn: state.isOpen ? 'open' : 'gone',
    hasSecondFactor: account.facts.hasSecondFactor || state.hasSecondFactor,
    byMailbox: pending.method === EMAIL_METHOD,
    isRunning: state.running !== null,
    begun: state.begun,
    now: new Date(),
  });
}

/** @throws ApiProblem `email-missing` */
function getEmail({ account }: WaitingSignIn): string {
  if (account.facts.email === null) throw new ApiProblem('email-missing');
  return account.facts.email;
}

/**
 * Cancels the pending reset of the signed-in user's second factor. A session is sufficient, because canceling loses no
 * data.
 * @throws ApiProblem `records-unavailable`; `not-found` if another deployment has the accounts
 */
export function keepSecondFactor({ status: { uid } }: LiveSession, client: ClientDescription): Promise<void> {
  return withRecords(async (records) => {
    await records.transact((tx) => cancelFactorReset(tx, { uid, at: new Date(), client }));
    wakeOutbox();
  });
}

/** Cancels a reset by the link of its email. */
export const { keep: keepSecondFactorByLink, inspect: inspectResetLink } = defineCancelLink({
  readLink: readResetLink,
  read: (records, { uid, reset }) => readFactorReset(records, uid, reset),
  cancel: (records, { uid, reset: id }, client) =>
    records.transact((tx) => cancelFactorReset(tx, { uid, id, at: new Date(), client })),
});

/** Advances requested resets: sends emails, and turns the second factor off when due. @throws RecordsError */
export function advanceFactorResets(records: Records): Promise<void> {
  return advanceDue(records, factorResets, {
    advance: (row, now) => advance(records, row, now),
    delayed: 'the reset of a second factor is delayed',
  });
}

async function advance(records: Records, reset: FactorReset, now: Date): Promise<void> {
  const { uid, id } = reset;
  const account = await readAccountState(records, reset);
  const sentAt = await readWarningSent(records, reset);
  const decision = decideReset({ now, ...reset, sentAt, account });
  switch (decision.step) {
    case 'hold':
      log().warn({ account: hashAccount(uid) }, 'the reset of a second factor of a disabled account waits');
      return holdReset(records, reset, decision);
    case 'wait':
      return postpone(records, factorResets, reset, decision);
    case 'remind':
      return emailAboutReset(records, reset, 'reminder');
    case 'warn':
      return emailAboutReset(records, reset, 'warning');
    case 'drop':
      return records.transact(async (tx) => void (await removeReset(tx, uid)));
    case 'cancel':
      return records.transact(async (tx) => void (await cancelFactorReset(tx, { uid, id, at: new Date() })));
    case 'turn-off':
      return finish(records, reset);
  }
}

async function readAccountState(records: Records, { uid, email }: FactorReset): Promise<ResetFacts['account']> {
  const account = await findById(uid);
  if (account === null) return 'gone';
  const { facts } = account;
  // Check the email before `disabled`, because an account whose email was not proved counts as disabled.
  if (facts.email !== email) return 'other';
  if (facts.disabled) return 'disabled';
  if (facts.hasSecondFactor) return 'same';
  return (await readSecondFactor(records, uid)).since === null ? 'other' : 'same';
}

/** @throws ApiProblem 503 */
async function finish(records: Records, reset: FactorReset): Promise<void> {
  const { uid, brand, email, startedAt } = reset;
  await withAccountLock(uid, async (locked) => {
    const account = await findById(uid, locked);
    // Check again with the account's lock. Do not turn the second factor off for a disabled account, or if the email is
    // no longer the email of the request.
    if (account === null || account.facts.disabled || (startedAt === null && account.facts.email !== email)) return;
    await locked.assertHeld();
    if (!(await startReset(records, reset))) return;
    await turnOff(locked, account, { kind: 'factor-reset-done', brand });
    log().info({ account: hashAccount(uid) }, 'a lost second factor was turned off');
  });
}
