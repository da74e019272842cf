import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { getSessionPageName, paths, pathWithReturn } from '@/lib/shared/paths';
import { setAuthStatus, setPageAccount, signOutOfProvider } from './state';

let isLeaving = false;

/** @param value whether this page signs out: a check that hears of it must not lead away before the response has cleared the cookies */
export function setLeaving(value: boolean): void {
  isLeaving = value;
}

/** Pages that need no session, but show the one that there is. */
const alsoShowSession: readonly string[] = [paths.registrationSuccess, paths.appShell, paths.signOut];

/**
 * The session has ended: signs out of the identity provider as well. A page that shows the session is left, and the user notified on the
 * sign-in page; all others stay, with what was typed there.
 */
export async function endSession(env: PublicEnv): Promise<void> {
  if (isLeaving) return;
  setAuthStatus({ status: 'unauthenticated' });
  // A link of an email needs no session, and may have ended it: nothing leads away from its page.
  if (window.location.pathname === paths.actions) return;
  await signOutOfProvider(env).catch((error: unknown) => reportError(error, { during: 'ending a session' }));
  const { pathname } = window.location;
  const page = getSessionPageName(pathname);
  if (page === null && !alsoShowSession.includes(pathname)) return setPageAccount(null);
  window.location.replace(pathWithReturn(page, 'AutoSignOut'));
}
