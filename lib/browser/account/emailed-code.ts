import { useClientValue } from '@/lib/browser/hooks';
import { storage } from '@/lib/browser/storage';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { paths, pathWithFlow, queryNames } from '@/lib/shared/paths';
import { type SignInFailure, toAuthErrorCode, toSignInFailure } from '../auth/sign-in/error-codes';
import { signInByEmail } from '../auth/sign-in/sign-in-by-email';
import { replaceAddress, takeFromAddress } from '../callback';
import { redeemSignInCode, type CallFailure } from './api';

/**
 * Signs in with the code of an email, opens the session and redirects.
 * @param flow of the page that asked for the email
 * @returns null when the redirect is in progress
 */
export async function signInByCode(
  env: PublicEnv,
  flow: string,
  code: string,
): Promise<CallFailure | SignInFailure | null> {
  try {
    const result = await signInByEmail(env, () => redeemSignInCode(flow, code));
    if (result === null || !('status' in result)) return result;
    return result.code.startsWith('code-') ? result : toSignInFailure(result);
  } catch (error) {
    const failure = toAuthErrorCode(error);
    if (failure === 'unknown') reportError(error, { during: 'signing in with an emailed code' });
    return { code: failure, retryAfter: null };
  }
}

/** An email that a page waits for. `resendAt`: when the next one may be requested, in milliseconds since 1970. */
export type AwaitedEmail = { email: string; flow: string; resendAt: number };

const KEY = 'awaited-sign-in-email';
const tab = storage('sessionStorage');

/**
 * Keeps the email that this page waits for, because a phone can unload the page while its user reads the email. The
 * address of the page names the flow, so that a new visit begins again. Null ends the wait.
 */
export function keepAwaitedEmail(awaited: AwaitedEmail | null): void {
  if (awaited === null) {
    tab.removeItem(KEY);
    takeFromAddress(queryNames.flow);
  } else {
    tab.setItem(KEY, JSON.stringify(awaited));
    replaceAddress(pathWithFlow(paths.emailLink, awaited.flow));
  }
}

/** Returns the email that this page waited for before it was loaded again, or null. */
export function useKeptEmail(): AwaitedEmail | null {
  const kept = useClientValue(() => tab.getItem(KEY), null);
  const flow = useClientValue(() => new URLSearchParams(window.location.search).get(queryNames.flow), null);
  if (kept === null) return null;
  const awaited = JSON.parse(kept) as AwaitedEmail;
  return awaited.flow === flow ? awaited : null;
}
