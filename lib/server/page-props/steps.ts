import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { nullOnProblem } from '@/lib/shared/problem';
import { resolveCallback } from '@/lib/shared/callback/rules';
import { getPublicEnv } from '../config/env';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { cookieTable, type CookieKey } from '@/lib/shared/cookie-table';
import { paths } from '@/lib/shared/paths';
import { getSessionCookie } from '../session';
import { readPendingRegistration } from '../accounts/confirmation';
import { RESEND_AFTER_SECONDS } from '../accounts/limits';
import { readPendingReset } from '../accounts/recovery';

/** The email that a browser waits for; `resendAfter` is in seconds. */
export type Pending = { email: string; resendAfter: number };

type Context = GetServerSidePropsContext;

/** /registration/confirm: the pending confirmation of this browser, or null: then the page says where to continue. */
export async function loadConfirmationStep(context: Context): Promise<{ props: { pending: Pending | null } }> {
  return {
    props: { pending: await readPending(readPendingRegistration(getCookie(context, 'emailConfirmationToken'))) },
  };
}

/** /registration/success: only after a registration; a signed-out user is asked to sign in. */
export function loadSuccessStep(
  context: Context,
): Promise<GetServerSidePropsResult<{ signedIn: boolean; destination: string }>> {
  const requiresSignIn = getCookie(context, 'registrationRequiresSignIn') === '1';
  const signedIn = !requiresSignIn && getSessionCookie(context.req) !== null;
  if (!signedIn && !requiresSignIn) return Promise.resolve(redirectTo(paths.registration));
  const destination = resolveCallback(getCookie(context, 'callbackUrl'), getCallbackPolicy(getPublicEnv()));
  return Promise.resolve({ props: { signedIn, destination } });
}

/** /forget-password/instructions: only after requesting a code. */
export async function loadInstructionsStep(context: Context): Promise<GetServerSidePropsResult<{ pending: Pending }>> {
  const pending = await readPending(readPendingReset(getCookie(context, 'passwordReset')));
  return pending ? { props: { pending } } : redirectTo(paths.forgetPassword);
}

/** /forget-password/reset: the pending reset of this browser, or null: then the page says where to continue. */
export async function loadResetStep(context: Context): Promise<{ props: { pending: Pending | null } }> {
  return { props: { pending: await readPending(readPendingReset(getCookie(context, 'passwordReset'))) } };
}

/** /forget-password/confirmation: only after a new password has been set. */
export function loadPasswordSetStep(context: Context): Promise<GetServerSidePropsResult<Record<string, never>>> {
  const isSet = getCookie(context, 'passwordUpdate') === '1';
  return Promise.resolve(isSet ? { props: {} } : redirectTo(paths.forgetPassword));
}

async function readPending(token: Promise<{ email: string; issuedAt: number }>): Promise<Pending | null> {
  const pending = await nullOnProblem(token);
  if (!pending) return null;
  // `issuedAt` is rounded down to a second: never allow a resend that the limit would still refuse.
  const left = Math.ceil((pending.issuedAt - Date.now()) / 1000) + RESEND_AFTER_SECONDS + 1;
  return { email: pending.email, resendAfter: Math.min(RESEND_AFTER_SECONDS, Math.max(0, left)) };
}

function redirectTo(destination: string) {
  return { redirect: { destination, permanent: false } } as const;
}

function getCookie({ req }: Context, key: CookieKey): string | undefined {
  return req.cookies[cookieTable[key].name];
}
