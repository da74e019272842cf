import type { DecodedIdToken } from 'firebase-admin/auth';
import { randomBytes } from 'node:crypto';
import { EMAIL_METHOD } from '@/lib/shared/sign-in-methods';
import { ApiProblem } from '@/lib/shared/problem';
import { type AccountFacts, type SecondFactorStep, isSecondFactorOffered } from '@/lib/server/policy';
import { digest } from '@/lib/server/runtime';
import { buildSetCookie } from '@/lib/server/http';
import { toNoticeBrand } from '@/lib/server/notifications';
import { consumeLimit, insertPendingSignIn, type NewPendingSignIn, withRecordsInTime } from '@/lib/server/storage';
import { getHandoffMethod, getAuthenticationTime, readHandoffClaims } from './handoff';
import type { SessionRequest } from './types';

const SECRET_BYTES = 32;

/** A first factor that was shown: by whom, how, and when. */
export type FirstFactor = Pick<NewPendingSignIn, 'provider' | 'method' | 'root' | 'authenticatedAt'>;

/** `unverifiedPasskey`: the first factor, if the second makes its user verification count. */
type Request = Pick<SessionRequest, 'client' | 'emailContext' | 'pendingSignIn'> & {
  unverifiedPasskey?: string | null;
};

/**
 * Keeps a sign-in whose second factor is missing: for ten minutes, or 30 while the account has none to show.
 * @param decoded the verified ID token of the first factor
 * @returns the problem to throw, with the cookie by which the browser goes on
 * @throws ApiProblem `too-many-requests`; `records-unavailable`: without the database there is no second factor, nor where none is offered
 */
export function requireSecondFactor(
  decoded: DecodedIdToken,
  account: AccountFacts,
  step: SecondFactorStep,
  request: Request,
): Promise<ApiProblem> {
  return keep(account, step, readFirstFactor(decoded), request);
}

/** The first factor of a verified ID token. */
export function readFirstFactor(decoded: DecodedIdToken): FirstFactor {
  return {
    provider: decoded.firebase.sign_in_provider,
    method: getHandoffMethod(decoded),
    root: readHandoffClaims(decoded)?.session ?? null,
    authenticatedAt: new Date(getAuthenticationTime(decoded) * 1000),
  };
}

/** The same for a user who has just proved the mailbox to our server: no custom token is minted. */
export function requireSecondFactorAfterMail(
  account: AccountFacts,
  step: SecondFactorStep,
  request: Request,
): Promise<ApiProblem> {
  const authenticatedAt = new Date(Math.floor(Date.now() / 1000) * 1000);
  return keep(account, step, { provider: 'custom', method: EMAIL_METHOD, root: null, authenticatedAt }, request);
}

async function keep(
  { uid, email }: AccountFacts,
  step: SecondFactorStep,
  firstFactor: FirstFactor,
  { client, emailContext, pendingSignIn, unverifiedPasskey = null }: Request,
): Promise<ApiProblem> {
  const isSetUp = step === 'second-factor-setup-required';
  // What is required must not be skipped where it cannot be had.
  if (isSetUp && !isSecondFactorOffered()) throw new ApiProblem('records-unavailable');
  // One ID token begins as many as its owner asks for.
  const described = client();
  await consumeLimit('pending-sign-in', `${uid} ${described.network ?? 'unknown'}`);
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const createdAt = new Date();
  const brand = toNoticeBrand(await emailContext());
  const replaces = pendingSignIn === null ? null : digest(pendingSignIn);
  const pending = {
    ...firstFactor,
    ...described,
    digest: digest(secret),
    uid,
    email,
    createdAt,
    brand,
    unverifiedPasskey,
  };
  const hasOne = await withRecordsInTime((records) => insertPendingSignIn(records, pending, { isSetUp, replaces }));
  const cookies = [buildSetCookie('pendingSignIn', secret)];
  return new ApiProblem(hasOne ? 'second-factor-required' : step, { cookies });
}
