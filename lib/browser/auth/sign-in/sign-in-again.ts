import { carryEmail } from '@/lib/browser/account/carried-email';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { getSessionPageName, pathWithReturn } from '@/lib/shared/paths';
import { signOut } from './sign-out';

/**
 * Signs out and redirects to sign-in, which returns to the current page.
 * @param email prefilled on the sign-in page
 * @returns false when the session could not be ended; the page then stays open
 */
export async function signInAgain(env: PublicEnv, email: string | null): Promise<boolean> {
  if (!(await signOut(env))) return false;
  if (email !== null) carryEmail(email);
  window.location.assign(pathWithReturn(getSessionPageName(window.location.pathname)));
  return true;
}
