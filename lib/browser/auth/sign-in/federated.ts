import type { UserCredential } from 'firebase/auth';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { paths } from '@/lib/shared/paths';
import { reportError } from '@/lib/shared/error-reporting/report';
import { discardSignIn, loadAuthToSignIn } from '../provider/provider-session';
import { completeSignIn } from './complete-sign-in';
import { type SignInFailure, toAuthErrorCode } from './error-codes';
import type { LoginMode } from './events';
import { federatedErrorCode, shouldReport } from './federated-errors';
import {
  createFederatedProvider,
  getRedirectResultInTime,
  withPopup,
  type PopupWatcher,
  type ProviderId,
} from '../provider/federated-provider';
import { getMethodName } from '@/lib/shared/sign-in-methods';
import { forgetRedirect, getPendingRedirect, rememberRedirect } from '../pending';

// Browsers block a popup that opens too long after the click.
export { preloadAuth } from '../provider/firebase';

type Options = PopupWatcher & {
  mode?: LoginMode;
  /** `redirect` leaves this page. `popup` falls back to a redirect if the browser blocks the popup. */
  by: 'popup' | 'redirect';
  /** Called when the provider has authenticated the user and the session is being opened. */
  onRecognized?: () => void;
};

/**
 * Signs in with a social, enterprise or partner provider, opens the session and redirects to the callback.
 * @returns null if a redirect to the callback or the provider is in progress, or the signal was aborted
 */
export async function signInWithProvider(
  env: PublicEnv,
  id: ProviderId,
  options: Options,
): Promise<SignInFailure | null> {
  try {
    const [auth, sdk, provider] = await Promise.all([
      loadAuthToSignIn(env),
      import('../provider/sdk'),
      createFederatedProvider(env, id),
    ]);
    const { mode = 'signIn', onRecognized } = options;
    const leave = async (): Promise<null> => {
      rememberRedirect({ provider: id, mode });
      await sdk.signInWithRedirect(auth, provider, sdk.browserPopupRedirectResolver);
      return null;
    };
    if (options.by === 'redirect') return await leave();
    try {
      const call = () => sdk.signInWithPopup(auth, provider, sdk.browserPopupRedirectResolver);
      const result = await withPopup(call, options);
      onRecognized?.();
      return await completeWith(env, result, id);
    } catch (error) {
      if (toAuthErrorCode(error) === 'auth/popup-blocked') return await leave();
      throw error;
    }
  } catch (error) {
    if (options.signal?.aborted) return null;
    forgetRedirect();
    return failure(env, error, id);
  }
}

/**
 * Completes the provider redirect that this tab has returned from.
 * @returns null if the redirect to the callback is in progress, `'nothing'` if the user returned without a result
 */
export async function finishRedirect(env: PublicEnv): Promise<SignInFailure | 'nothing' | null> {
  const redirect = getPendingRedirect();
  if (redirect === null || redirect.mode === 'link') return 'nothing';
  try {
    const result = await getRedirectResultInTime(env);
    return result === null ? 'nothing' : await completeWith(env, result, redirect.provider);
  } catch (error) {
    return await failure(env, error, redirect.provider);
  } finally {
    forgetRedirect();
  }
}

async function completeWith(env: PublicEnv, result: UserCredential, id: ProviderId): Promise<SignInFailure | null> {
  const { getAdditionalUserInfo } = await import('../provider/sdk');
  const isNew = getAdditionalUserInfo(result)?.isNewUser === true;
  // GitHub, Facebook and X accounts can lack an email address. Such a user could not be contacted, and could not
  // recover the account.
  if (result.user.email === null) {
    await discardSignIn(env, result);
    return { code: 'auth/no-email-found-with-provider', retryAfter: null, provider: getProviderName(id) };
  }
  const refused = await completeSignIn(env, result.user, id, isNew ? 'signUp' : 'signIn');
  // Show our server's refusals like the identity provider's.
  return refused && { ...refused, code: federatedErrorCode(refused, id), provider: getProviderName(id) };
}

function getProviderName(id: ProviderId): string {
  return getMethodName(id).replace(/^(?:saml|oidc)\./, '');
}

async function failure(env: PublicEnv, error: unknown, id: ProviderId): Promise<SignInFailure | null> {
  const code = federatedErrorCode(error, id);
  if (shouldReport(code, error, id)) reportError(error, { during: 'sign-in with a provider', provider: id });
  if (code === 'auth/account-exists-with-different-credential') {
    const { keepPendingCredential } = await import('./linking');
    if (await keepPendingCredential(env, error, id)) {
      window.location.assign(paths.linkAccount);
      return null;
    }
  }
  return { code, retryAfter: null };
}
