import type { UserCredential } from 'firebase/auth';
import type { PublicEnv } from '@/lib/config/public-env';
import { paths } from '@/lib/paths';
import { reportError } from '@/lib/sentry/report';
import { enter, type EntryFailure } from './enter';
import { authErrorCodeOf } from './error-codes';
import type { LoginMode } from './events';
import { federatedErrorCode, isWorthAReport } from './federated-errors';
import { federatedProvider, type ProviderId } from './federated-provider';
import { loadAuth } from './firebase';
import { leaveProvider } from './provider-session';
import { forgetRedirect, pendingRedirect, rememberRedirect } from './pending-redirect';
import { redirectAnswer } from './redirect-answer';

/** Starts the SDK before it is needed: a popup that comes late after the press is blocked. */
export async function prepare(env: PublicEnv): Promise<void> {
  await loadAuth(env);
}

type Options = {
  mode?: LoginMode;
  /** `redirect` leaves this page; `popup` becomes a redirect where the browser blocks it. */
  by: 'popup' | 'redirect';
  /** Told when the provider has recognised the person and the session is being opened. */
  onRecognised?: () => void;
};

/**
 * Signs in with a social, enterprise or partner provider, opens the session and hands over.
 * @returns null when a hand-over is under way, here or after the redirect
 */
export async function signInWithProvider(
  env: PublicEnv,
  id: ProviderId,
  options: Options,
): Promise<EntryFailure | null> {
  try {
    const [auth, sdk, provider] = await Promise.all([loadAuth(env), import('./sdk'), federatedProvider(id)]);
    const { mode = 'signIn', onRecognised } = options;
    const leave = async (): Promise<null> => {
      rememberRedirect({ provider: id, mode });
      await sdk.signInWithRedirect(auth, provider, sdk.browserPopupRedirectResolver);
      return null;
    };
    if (options.by === 'redirect') return await leave();
    try {
      const result = await sdk.signInWithPopup(auth, provider, sdk.browserPopupRedirectResolver);
      onRecognised?.();
      return await enterWith(env, result, id);
    } catch (error) {
      if (authErrorCodeOf(error) === 'auth/popup-blocked') return await leave();
      throw error;
    }
  } catch (error) {
    forgetRedirect();
    return failure(env, error, id);
  }
}

/**
 * Completes a redirect this tab is back from.
 * @returns null when the hand-over is under way, `'nothing'` when the person came back without an answer
 */
export async function finishRedirect(env: PublicEnv): Promise<EntryFailure | 'nothing' | null> {
  const redirect = pendingRedirect();
  if (redirect === null || redirect.mode === 'link') return 'nothing';
  try {
    const result = await redirectAnswer(env);
    return result === null ? 'nothing' : await enterWith(env, result, redirect.provider);
  } catch (error) {
    return await failure(env, error, redirect.provider);
  } finally {
    forgetRedirect();
  }
}

async function enterWith(env: PublicEnv, result: UserCredential, id: ProviderId): Promise<EntryFailure | null> {
  const { getAdditionalUserInfo } = await import('./sdk');
  const isNew = getAdditionalUserInfo(result)?.isNewUser === true;
  if (result.user.email !== null) return enter(env, result.user, id, isNew ? 'signUp' : 'signIn');
  await discard(env, result);
  return { code: 'auth/no-email-found-with-provider', retryAfter: null };
}

/** Nobody can be reached or recognised again without an address: a new account of that kind is not kept. */
async function discard(env: PublicEnv, result: UserCredential): Promise<void> {
  const { getAdditionalUserInfo } = await import('./sdk');
  if (getAdditionalUserInfo(result)?.isNewUser) await result.user.delete();
  else await leaveProvider(env);
}

async function failure(env: PublicEnv, error: unknown, id: ProviderId): Promise<EntryFailure | null> {
  const code = federatedErrorCode(error, id);
  if (isWorthAReport(code, error)) reportError(error, { during: 'sign-in with a provider', provider: id });
  if (code === 'auth/account-exists-with-different-credential' && (await canLink(env, error, id))) {
    window.location.assign(paths.linkAccount);
    return null;
  }
  return { code, retryAfter: null };
}

async function canLink(env: PublicEnv, error: unknown, id: ProviderId): Promise<boolean> {
  const { keepCredentialOf } = await import('./linking');
  return keepCredentialOf(env, error, id);
}
