import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { getSessionPageName, paths, pathWithReturn } from '@/lib/shared/paths';
import { setAuthStatus, setPageAccount, signOutOfProvider } from './state';

let isLeaving = false;

/**
 * @param value whether this page is signing out, so that a concurrent check must not leave the page before the response
 *   has cleared the cookies
 */
export function setLeaving(value: boolean): void {
  isLeaving = value;
}

/** Pages that the server renders without an account, but that show the current session. */
const alsoShowSession: readonly string[] = [paths.registrationSuccess, paths.appShell];

/**
 * Handles the end of the session and signs out of the identity provider as well. A page that shows the session
 * redirects to sign-in with a notice, because the next account must not see it. Other pages stay open and keep the
 * typed input.
 * @param accountUid the account that the server rendered this page for
 */
export async function endSession(env: PublicEnv, accountUid: string | undefined): Promise<void> {
  if (isLeaving) return;
  setAuthStatus({ status: 'unauthenticated' });
  // An emailed link needs no session and may have ended it, so do not leave its page.
  if (window.location.pathname === paths.actions) return;
  await signOutOfProvider(env).catch((error: unknown) => reportError(error, { during: 'ending a session' }));
  const { pathname } = window.location;
  if (accountUid === undefined && !alsoShowSession.includes(pathname)) return setPageAccount(null);
  window.location.replace(pathWithReturn(getSessionPageName(pathname), 'AutoSignOut'));
}
