import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { orNull } from '@/lib/api/problem';
import { resolveCallback } from '@/lib/callback/rules';
import { publicEnv } from '@/lib/config/env';
import { callbackPolicyOf } from '@/lib/config/public-env';
import { cookieTable, type CookieKey } from '@/lib/cookies/table';
import { paths } from '@/lib/paths';
import { sessionCookieOf } from '../session';
import { pendingRegistration } from './confirmation';
import { RESEND_AFTER } from './limits';
import { pendingReset } from './recovery';

/** What a browser waits for; `resendAfter` is in seconds. */
export type Pending = { email: string; resendAfter: number };

type Context = GetServerSidePropsContext;

/** /registration/confirm: what this browser waits for, or null: then the page says where to go on. */
export async function confirmationStep(context: Context): Promise<{ props: { pending: Pending | null } }> {
  return { props: { pending: await pendingIn(pendingRegistration(cookieOf(context, 'emailConfirmationToken'))) } };
}

/** /registration/success: only after a registration; who is not signed in here is asked to. */
export function successStep(
  context: Context,
): Promise<GetServerSidePropsResult<{ signedIn: boolean; destination: string }>> {
  const requiresSignIn = cookieOf(context, 'registrationRequiresSignIn') === '1';
  const signedIn = !requiresSignIn && sessionCookieOf(context.req) !== null;
  if (!signedIn && !requiresSignIn) return Promise.resolve(redirectTo(paths.registration));
  const destination = resolveCallback(cookieOf(context, 'callbackUrl'), callbackPolicyOf(publicEnv()));
  return Promise.resolve({ props: { signedIn, destination } });
}

/** /forget-password/instructions: only after asking for a code. */
export async function instructionsStep(context: Context): Promise<GetServerSidePropsResult<{ pending: Pending }>> {
  const pending = await pendingIn(pendingReset(cookieOf(context, 'passwordReset')));
  return pending ? { props: { pending } } : redirectTo(paths.forgetPassword);
}

/** /forget-password/reset: what this browser waits for, or null: then the page says where to go on. */
export async function resetStep(context: Context): Promise<{ props: { pending: Pending | null } }> {
  return { props: { pending: await pendingIn(pendingReset(cookieOf(context, 'passwordReset'))) } };
}

/** /forget-password/confirmation: only after a new password has been set. */
export function passwordSetStep(context: Context): Promise<GetServerSidePropsResult<Record<string, never>>> {
  const isSet = cookieOf(context, 'passwordUpdate') === '1';
  return Promise.resolve(isSet ? { props: {} } : redirectTo(paths.forgetPassword));
}

async function pendingIn(token: Promise<{ email: string; issuedAt: number }>): Promise<Pending | null> {
  const known = await orNull(token);
  if (!known) return null;
  const elapsed = Math.floor((Date.now() - known.issuedAt) / 1000);
  return { email: known.email, resendAfter: Math.max(0, RESEND_AFTER - elapsed) };
}

function redirectTo(destination: string) {
  return { redirect: { destination, permanent: false } } as const;
}

function cookieOf({ req }: Context, key: CookieKey): string | undefined {
  return req.cookies[cookieTable[key].name];
}
