import type { PublicEnv } from '@/lib/shared/config/public-env';
import { setPageAccount, broadcast } from '@/lib/browser/session/state';
import { storage } from '@/lib/browser/storage';
import { paths } from '@/lib/shared/paths';
import { signOutOfFirebase } from '../provider/provider-session';
import { broadcastOwnSignIn } from './broadcast-sign-in';
import type { SignedInUser } from './events';

const KEY = 'pending-sign-in';

/** Codes of a first factor that was accepted, and the page of the second one. */
const PAGES: Partial<Record<string, string>> = {
  'second-factor-required': paths.secondFactor,
  'second-factor-setup-required': paths.setUpSecondFactor,
};

/**
 * The account needs a second factor, if the code says so. Until it was shown, no token of the identity provider may remain in this browser.
 * @param method the provider id of the first factor. The user is not stored: who it is says the server, when both were shown
 * @param code of the refused call
 * @returns whether the redirect is in progress
 */
export async function goToSecondFactor(env: PublicEnv, method: string, code: string): Promise<boolean> {
  const page = PAGES[code];
  if (page === undefined) return false;
  storage('sessionStorage').setItem(KEY, method);
  await signOutOfFirebase(env);
  window.location.assign(page);
  return true;
}

/** Announces the sign-in that the second factor has completed. */
export function broadcastSecondFactorSignIn(user: SignedInUser): void {
  const store = storage('sessionStorage');
  const method = store.getItem(KEY);
  store.removeItem(KEY);
  // The first factor was shown in another tab.
  if (method === null) return broadcastSignInOfOtherTab(user);
  broadcastOwnSignIn(user, method);
}

function broadcastSignInOfOtherTab({ uid }: SignedInUser): void {
  setPageAccount(uid);
  broadcast('signed-in');
}
