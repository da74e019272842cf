import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { entryPages, getSessionPageName, pathWithReturn } from '@/lib/shared/paths';
import { setPageAccount } from './page-account';
import { setAuthStatus } from './status';

/** The session has ended: signs out of the identity provider as well, and notifies the user on the sign-in page. */
export async function endSession(env: PublicEnv): Promise<void> {
  setAuthStatus({ status: 'unauthenticated' });
  await signOutOfProvider(env).catch((error: unknown) =>
    reportError(error, { during: 'signing out of the identity provider' }),
  );
  if (isEntryPage()) return setPageAccount(null);
  window.location.replace(pathWithReturn(getSessionPageName(window.location.pathname), 'AutoSignOut'));
}

export async function signOutOfProvider(env: PublicEnv): Promise<void> {
  const session = await import('@/lib/browser/auth/provider/provider-session');
  await session.signOutOfFirebase(env);
}

/** Whether this document is a page for signed-out visitors. */
export function isEntryPage(): boolean {
  return entryPages.includes(window.location.pathname);
}
