import type { User } from 'firebase/auth';
import Router from 'next/router';
import { writeCookie } from '@/lib/browser/cookies';
import type { CallFailure } from '@/lib/browser/api-client';
import { requestConfirmation } from '@/lib/browser/session/api';
import { broadcast, setPageAccount } from '@/lib/browser/session/state';
import { storage } from '@/lib/browser/storage';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { pathWithFlow, paths } from '@/lib/shared/paths';
import { signOutOfFirebase } from '../provider/provider-session';
import { broadcastOwnSignIn } from './broadcast-sign-in';
import type { SignedInUser } from './events';
import { toProviderUser, type ProvedUser } from './proved-user';

/**
 * @returns null if the user is being redirected to a required step; otherwise the failure, with the wait until another
 *   code
 */
export async function redirectToRequiredStep(
  env: PublicEnv,
  user: User | ProvedUser,
  method: string,
  failure: CallFailure,
): Promise<CallFailure | null> {
  switch (failure.code) {
    case 'email-not-verified': {
      const answer = await requestConfirmation(await user.getIdToken());
      if (!answer.ok) return { ...failure, retryAfter: answer.status === 429 ? answer.retryAfter : null };
      window.location.assign(pathWithFlow(paths.registrationConfirm, answer.data.flow));
      return null;
    }
    case 'legacy-reset-required':
      await toProviderUser(user);
      writeCookie('legacyUserStatus', 'legacy', env.mainDomain);
      // Navigate in-app. Without storage, only this document knows the user who is signed in at the identity provider.
      await Router.push(paths.firstLoginReset);
      return null;
    case 'legacy-sign-in-required':
      return goToLegacySignIn(env) ? null : failure;
    default:
      return (await goToSecondFactor(env, method, failure.code)) ? null : failure;
  }
}

/**
 * Redirects to the previous system, where the account must sign in first. @returns whether the redirect is in progress
 */
export function goToLegacySignIn({ legacySignInUrl, mainDomain }: PublicEnv): boolean {
  if (legacySignInUrl === null) return false;
  writeCookie('legacyUserStatus', 'legacy', mainDomain);
  window.location.assign(legacySignInUrl);
  return true;
}

const KEY = 'pending-sign-in';

/** Pages of the second factor, by the code of the response to an accepted first factor. */
const PAGES: Partial<Record<string, string>> = {
  'second-factor-required': paths.secondFactor,
  'second-factor-setup-required': paths.setUpSecondFactor,
};

/**
 * Redirects to the second factor if the code requires it. Until the factor is shown, no token of the identity provider
 * may stay in this browser.
 * @param method the provider id of the first factor. The user is not stored, because the server returns the user after
 *   both factors
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
  if (method !== null) return broadcastOwnSignIn(user, method);
  // The first factor was shown in another tab.
  setPageAccount(user.uid);
  broadcast('signed-in');
}
