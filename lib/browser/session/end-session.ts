import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { getSessionPageName, paths, pathWithReturn } from '@/lib/shared/paths';
import { setAuthStatus, setPageAccount, signOutOfProvider } from './state';

let isLeaving = false;

/** @param value whether this page signs out: a check that hears of it must not lead away before the response has cleared the cookies */
export function setLeaving(value: boolean): void {
  isLeaving = value;
}

/** Pages that the server renders without an account, and that show the session that there is. */
const alsoShowSession: readonly string[] = [paths.registrationSuccess, paths.appShell];

/**
 * The session has ended: signs out of the identity provider as well. A page that shows the session is left, and the user notified on the
 * sign-in page: the next account must not find it. All others stay, with what was typed there.
 * @param accountUid the account that the server rendered this page for
 */
export async function endSession(env: PublicEnv, accountUid: string | undefined): Promise<void> {
  if (isLeaving) return;
  setAuthStatus({ status: 'unauthenticated' });
  // A link of an email needs no session, and may have ended it: nothing leads away from its page.
  if (window.location.pathname === paths.actions) return;
  await signOutOfProvider(env).catch((error: unknown) => reportError(error, { during: 'ending a session' }));
  const { pathname } = window.location;
  if (accountUid === undefined && !alsoShowSession.includes(pathname)) return setPageAccount(null);
  window.location.replace(pathWithReturn(getSessionPageName(pathname), 'AutoSignOut'));
}
