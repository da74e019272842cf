import type { Auth, User } from 'firebase/auth';
import type { PublicEnv } from '@/lib/config/public-env';
import { reportError } from '@/lib/sentry/report';
import { ensureProviderUser } from './auto-sign-in';
import type { AuthErrorCode } from './error-codes';
import { authErrorCodeOf } from './error-codes';
import { federatedErrorCode, isWorthAReport } from './federated-errors';
import { federatedProvider } from './federated-provider';
import { loadAuth } from './firebase';
import { forgetRedirect, pendingRedirect, rememberRedirect } from './pending-redirect';
import { redirectAnswer } from './redirect-answer';
import { SOCIAL_PROVIDERS, type SocialProviderId } from './providers';

/** How somebody who is signed in proves anew that it is them. */
export type Proof = { by: 'password'; password: string } | { by: 'provider'; provider: string };

/**
 * Re-authenticates the person of the session, before a change to the account.
 * @param uid whose session it is
 * @returns null when it is them
 */
export async function provePerson(env: PublicEnv, uid: string, proof: Proof): Promise<AuthErrorCode | null> {
  if (!(await ensureProviderUser(env, uid))) return 'auth/requires-recent-login';
  return attempt(proof.by === 'provider' ? proof.provider : 'password', async () => {
    const [user, sdk] = await Promise.all([loadAuth(env).then(requireUser), import('./sdk')]);
    if (proof.by === 'password') {
      const credential = sdk.EmailAuthProvider.credential(user.email ?? '', proof.password);
      await sdk.reauthenticateWithCredential(user, credential);
    } else {
      const provider = await federatedProvider(proof.provider);
      await sdk.reauthenticateWithPopup(user, provider, sdk.browserPopupRedirectResolver);
    }
    return null;
  });
}

/**
 * Links a social provider to the account, by popup, or by redirect where it is configured or the popup is blocked.
 * @returns null when it is linked or the page is about to leave
 */
export function linkMethod(env: PublicEnv, id: SocialProviderId): Promise<AuthErrorCode | null> {
  return attempt(id, async () => {
    const [auth, sdk, provider] = await Promise.all([loadAuth(env), import('./sdk'), federatedProvider(id)]);
    const user = requireUser(auth);
    const leave = async (): Promise<null> => {
      rememberRedirect({ provider: id, mode: 'link' });
      await sdk.linkWithRedirect(user, provider, sdk.browserPopupRedirectResolver);
      return null;
    };
    if (env.socialSignIn === 'redirect') return leave();
    try {
      return await checkLinked((await sdk.linkWithPopup(user, provider, sdk.browserPopupRedirectResolver)).user, id);
    } catch (error) {
      if (authErrorCodeOf(error) === 'auth/popup-blocked') return leave();
      throw error;
    }
  });
}

/** Completes a link by redirect this tab is back from. @returns the code of a failure, or what came of it */
export async function finishLinkRedirect(env: PublicEnv): Promise<AuthErrorCode | 'linked' | 'nothing'> {
  const redirect = pendingRedirect();
  if (redirect?.mode !== 'link') return 'nothing';
  let answered = false;
  const failure = await attempt(redirect.provider, async () => {
    const result = await redirectAnswer(env);
    answered = result !== null;
    return result && checkLinked(result.user, redirect.provider as SocialProviderId);
  });
  forgetRedirect();
  return failure ?? (answered ? 'linked' : 'nothing');
}

/** Takes a method off the account; never the last. @param method in the identity provider's ids */
export function unlinkMethod(env: PublicEnv, method: string): Promise<AuthErrorCode | null> {
  return attempt(method, async () => {
    const [user, { unlink }] = await Promise.all([loadAuth(env).then(requireUser), import('./sdk')]);
    if (user.providerData.length < 2) throw new Error('The last sign-in method stays');
    await unlink(user, method);
    return null;
  });
}

/** @throws Error `No user logged in!` (specification, section 5) */
export function requireUser({ currentUser }: Pick<Auth, 'currentUser'>): User {
  if (!currentUser) throw new Error('No user logged in!');
  return currentUser;
}

/** A method with another address is another person's, or will be: it is taken off again. */
async function checkLinked(user: User, id: SocialProviderId): Promise<AuthErrorCode | null> {
  const { firebaseId } = SOCIAL_PROVIDERS[id];
  const linked = user.providerData.find(({ providerId }) => providerId === firebaseId);
  if (!linked?.email || linked.email.toLowerCase() === user.email?.toLowerCase()) return null;
  const { unlink } = await import('./sdk');
  await unlink(user, firebaseId);
  return 'auth/link/invalid-email-for-link';
}

async function attempt(provider: string, work: () => Promise<AuthErrorCode | null>): Promise<AuthErrorCode | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && error.message === 'No user logged in!') return 'auth/requires-recent-login';
    const code = provider === 'password' ? authErrorCodeOf(error) : federatedErrorCode(error, provider);
    if (isWorthAReport(code, error)) reportError(error, { during: 'changing sign-in methods', provider });
    return code === 'auth/email-already-in-use' ? 'auth/email-already-in-use/link' : code;
  }
}
