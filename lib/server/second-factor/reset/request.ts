import { EMAIL_METHOD } from '@/lib/shared/account/own-methods';
import { ApiProblem, nullOnProblem } from '@/lib/shared/problem';
import {
  toNoticeBrand,
  wakeOutbox,
  readResetRequest,
  requestReset,
  type FactorReset,
  type ResetRequestState,
} from '@/lib/server/notifications';
import { issueCode, readToken, redeemCode } from '@/lib/server/codes';
import { RECORDS_TIMEOUT_MS, withRecords } from '@/lib/server/storage';
import { requireWaitingSignIn, type WaitingSignIn } from '../waiting-sign-in';
import type { SessionRequest } from '@/lib/server/session';
import { decideResetRequest, RESET_HOURS, type ResetRequestDecision } from '@/lib/server/policy';

type Refusal = Extract<ResetRequestDecision, { outcome: 'refuse' }>;

/** `email`: where the code goes; `openFlow`: of an earlier code for the same sign-in. */
export type ResetCodeRequest = {
  email: string;
  openFlow: string | null;
  issue: (flow: string) => Promise<{ code: string; token: string }>;
};

/**
 * Judges whether a code for a reset is emailed, for the sign-in that waits in this browser.
 * @param secret of the cookie of that sign-in; `token`: of an earlier code for it, if there is one
 * @throws ApiProblem as `decideResetRequest`; `records-unavailable`, 503
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
  const state = await withRecords((records) => readResetRequest(records, { uid, digest }), RECORDS_TIMEOUT_MS);
  const decision = decide(waiting, state);
  if (decision.outcome === 'refuse') throw toProblem(decision);
  const email = getEmail(waiting);
  const before = await nullOnProblem(readToken('factor-reset', token));
  return {
    email,
    openFlow: before?.payload.signIn === digest ? before.flow : null,
    issue: (flow) => issueCode('factor-reset', { uid, email, signIn: digest }, { flow }),
  };
}

/**
 * Begins the reset of a lost second factor with the emailed code. While one runs, it changes nothing.
 * @param secret of the cookie of the sign-in that waits; `token`: of the code; `code`: as typed
 * @returns when it takes effect, RFC 3339
 * @throws ApiProblem as `decideResetRequest` and `redeemCode`; `records-unavailable`, 503
 */
export async function beginReset(
  { secret, token, code }: { secret: string | undefined; token: string | undefined; code: string },
  request: SessionRequest,
): Promise<string> {
  const waiting = await requireWaitingSignIn(secret);
  const reset = await redeemCode('factor-reset', token, code, async (payload) => {
    const { uid, digest } = waiting.pending;
    const email = getEmail(waiting);
    // The code of another sign-in, or of another email of the account.
    if (payload.uid !== uid || payload.signIn !== digest || payload.email !== email)
      throw new ApiProblem('code-expired');
    return schedule(waiting, request);
  });
  return reset.effectiveAt.toISOString();
}

async function schedule(waiting: WaitingSignIn, request: SessionRequest): Promise<FactorReset> {
  const { uid, digest } = waiting.pending;
  const brand = toNoticeBrand(await request.emailContext());
  const given = { uid, digest, email: getEmail(waiting), brand, client: request.client(), hours: RESET_HOURS };
  let refusal: Refusal | null = null;
  const reset = await withRecords((records) =>
    requestReset(records, given, (state) => {
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

function toProblem({ code, retryAfter }: Refusal): ApiProblem {
  return new ApiProblem(code, retryAfter === undefined ? {} : { retryAfter });
}

/** @throws ApiProblem `email-missing` */
function getEmail({ account }: WaitingSignIn): string {
  if (account.facts.email === null) throw new ApiProblem('email-missing');
  return account.facts.email;
}
