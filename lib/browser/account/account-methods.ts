import type { Auth, User, UserCredential } from 'firebase/auth';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { getServerTime, postJson } from '@/lib/browser/api-client';
import { checkAuthStatus } from '@/lib/browser/session/api';
import { securityApiPaths } from '@/lib/shared/security-paths';
import { EMAIL_METHOD, SOCIAL_PROVIDERS, type SocialProviderId, isSocialProvider } from '@/lib/shared/sign-in-methods';
import { pathWithReturn } from '@/lib/shared/paths';
import { tryTypedPassword } from '@/lib/shared/account/typed-password';
import type { FactorCode, MethodChange } from '@/lib/shared/account/security';
import { storage } from '@/lib/browser/storage';
import { ensureProviderUser } from '../auth/sign-in/auto-sign-in';
import { isLeftToLink } from '../auth/link-return';
import { discardSignIn } from '../auth/provider/provider-session';
import { type AuthErrorCode, isCredentialFailure, toAuthErrorCode } from '../auth/sign-in/error-codes';
import { toSignInFailure } from '../auth/sign-in/complete-sign-in';
import { federatedErrorCode, shouldReport } from '../auth/sign-in/federated-errors';
import {
  createFederatedProvider,
  getRedirectResultInTime,
  withPopup,
  type PopupWatcher,
} from '../auth/provider/federated-provider';
import { loadAuth } from '../auth/provider/firebase';
import { forgetRedirect, getPendingRedirect, rememberRedirect, rememberProvider } from '../auth/pending';
import type { PasskeyFailure } from '../passkeys/failure';
import type { FactorFailure } from '../second-factor/api';
import { carriedEmail } from './carried-email';

/** The session's user. */
type SessionUser = { uid: string; email: string | null; hasSecondFactor: boolean };

/**
 * Why a reauthentication or a change failed; `code-required`: the first factor is verified, a proof by code has to follow.
 * `last-method`: the account must keep one.
 */
export type ProofFailure = AuthErrorCode | PasskeyFailure | FactorFailure | 'code-required';

/** The failure of a proof that is shown at the field of the password. */
export const WRONG_PASSWORD = 'auth/wrong-password' satisfies AuthErrorCode;

type ProviderProof = { by: 'password'; password: string } | { by: 'provider'; provider: string };

/** How a signed-in user re-authenticates. `email`: by a sign-in with an emailed link or code that was just made. */
export type Proof = ProviderProof | { by: 'passkey' } | { by: 'email' } | { by: 'code'; code: FactorCode };

/**
 * Re-authenticates the session's user before an account change. If the user is not signed in at the identity provider
 * in this browser, a sign-in there is the proof. With a second factor, it takes a first proof, which `code-required`
 * follows, and one by code; a passkey is both.
 * @param sessionUser the session's user
 * @returns null when the user is verified
 */
export async function reauthenticate(
  env: PublicEnv,
  sessionUser: SessionUser,
  proof: Proof,
  watcher: PopupWatcher,
): Promise<ProofFailure | null> {
  // The session can have ended, or be another user's, since the page was loaded.
  const session = await checkAuthStatus();
  const isOver = session.ok ? session.data.uid !== sessionUser.uid : session.status === 401;
  if (isOver) return 'auth/requires-recent-login';
  if (proof.by === 'email') return checkSignInByEmail(env, sessionUser);
  if (proof.by === 'passkey') {
    const prove = async () => (await import('../passkeys/prove')).provePasskey(env, watcher.signal);
    return attempt<ProofFailure>('passkey', prove);
  }
  if (proof.by === 'code') {
    return attempt<ProofFailure>('code', async () => {
      const auth = await loadAuth(env);
      const token = await requireUser(auth).getIdToken();
      return (await import('../second-factor/api')).proveSecondFactor(auth, token, proof.code);
    });
  }
  const failure = await proveFirstFactor(env, sessionUser, proof, watcher);
  return failure === null && sessionUser.hasSecondFactor ? 'code-required' : failure;
}

/** What our server says of a sign-in in its tokens (lib/server/session/tokens.ts). */
type OwnClaims = { method?: string; proved_at?: number; factor?: string };

/** As long as a proof lasts (docs/product.md#constants). */
const RECENT_MS = 300_000;

/**
 * Whether the user has signed in by email in this browser so recently that the server takes it for a proof.
 * @returns null when it does; `code-required`: it has no second factor yet, as where this browser is remembered
 */
export async function checkSignInByEmail(
  env: PublicEnv,
  { uid, hasSecondFactor }: SessionUser,
): Promise<'code-required' | 'auth/requires-recent-login' | null> {
  const tooOld = 'auth/requires-recent-login';
  try {
    // The link may have been opened in another tab, with an SDK of its own.
    if ((await ensureProviderUser(env, uid)) !== 'known') return tooOld;
    const { claims } = await requireUser(await loadAuth(env)).getIdTokenResult();
    const { method, proved_at: provedAt = 0, factor } = Object(claims.learner_identity) as OwnClaims;
    if (method !== EMAIL_METHOD || getServerTime() - provedAt * 1000 >= RECENT_MS) return tooOld;
    return hasSecondFactor && factor === undefined ? 'code-required' : null;
  } catch {
    return tooOld;
  }
}

async function proveFirstFactor(
  env: PublicEnv,
  sessionUser: SessionUser,
  proof: ProviderProof,
  watcher: PopupWatcher,
): Promise<AuthErrorCode | null> {
  const isKnown = (await ensureProviderUser(env, sessionUser.uid)) === 'known';
  return attempt(proof.by === 'provider' ? proof.provider : 'password', async () => {
    if (!isKnown) return keepIfSameUser(env, sessionUser, await signInWith(env, sessionUser, proof, watcher));
    const [user, sdk] = await Promise.all([loadAuth(env).then(requireUser), import('../auth/provider/sdk')]);
    if (proof.by === 'password') {
      await tryPassword(proof.password, (password) =>
        sdk.reauthenticateWithCredential(user, sdk.EmailAuthProvider.credential(user.email ?? '', password)),
      );
    } else {
      const provider = await createFederatedProvider(env, proof.provider);
      const call = () => sdk.reauthenticateWithPopup(user, provider, sdk.browserPopupRedirectResolver);
      await withPopup(call, watcher);
    }
    return null;
  });
}

const tryPassword = <T>(typed: string, attempt: (password: string) => Promise<T>): Promise<T> =>
  tryTypedPassword(typed, attempt, (error) => isCredentialFailure(toAuthErrorCode(error)));

async function signInWith(
  env: PublicEnv,
  { email }: SessionUser,
  proof: ProviderProof,
  watcher: PopupWatcher,
): Promise<UserCredential> {
  const [auth, sdk] = await Promise.all([loadAuth(env), import('../auth/provider/sdk')]);
  if (proof.by === 'password')
    return tryPassword(proof.password, (password) => sdk.signInWithEmailAndPassword(auth, email ?? '', password));
  const provider = await createFederatedProvider(env, proof.provider);
  return withPopup(() => sdk.signInWithPopup(auth, provider, sdk.browserPopupRedirectResolver), watcher);
}

/** Reject a different user selected in the provider's popup: their account must not be changed. */
async function keepIfSameUser(
  env: PublicEnv,
  { uid }: SessionUser,
  result: UserCredential,
): Promise<AuthErrorCode | null> {
  if (result.user.uid !== uid) {
    await discardSignIn(env, result);
    return 'auth/link/invalid-email-for-link';
  }
  rememberProvider();
  return null;
}

/**
 * Links a social provider to the account, by popup, or by redirect if that is configured or the popup is blocked.
 * @returns null when it is linked or the redirect is in progress
 */
export function linkMethod(env: PublicEnv, id: SocialProviderId, watcher: PopupWatcher): Promise<AuthErrorCode | null> {
  return attempt(id, async () => {
    const [auth, sdk, provider] = await Promise.all([
      loadAuth(env),
      import('../auth/provider/sdk'),
      createFederatedProvider(env, id),
    ]);
    const user = requireUser(auth);
    const leave = async (): Promise<null> => {
      rememberRedirect({ provider: id, mode: 'link' });
      try {
        await sdk.linkWithRedirect(user, provider, sdk.browserPopupRedirectResolver);
      } catch (error) {
        forgetRedirect();
        throw error;
      }
      return null;
    };
    if (env.socialSignIn === 'redirect') return leave();
    try {
      const call = () => sdk.linkWithPopup(user, provider, sdk.browserPopupRedirectResolver);
      return await checkLinked((await withPopup(call, watcher)).user, id);
    } catch (error) {
      if (toAuthErrorCode(error) === 'auth/popup-blocked') return leave();
      throw error;
    }
  });
}

/** Completes a link redirect that this tab has returned from. @returns the code of a failure, or the outcome */
export async function finishLinkRedirect(env: PublicEnv): Promise<AuthErrorCode | 'linked' | 'nothing'> {
  const redirect = getPendingRedirect();
  if (redirect?.mode !== 'link') return 'nothing';
  let answered = false;
  const failure = await attempt(redirect.provider, async () => {
    const result = await getRedirectResultInTime(env);
    answered = result !== null;
    return result && checkLinked(result.user, redirect.provider as SocialProviderId);
  });
  forgetRedirect();
  return failure ?? (answered ? 'linked' : 'nothing');
}

/**
 * Removes a sign-in method from the account, on the server: the identity provider would remove the last one, too.
 * @param method by the identity provider's id
 */
export function unlinkMethod(env: PublicEnv, method: string): Promise<ProofFailure | null> {
  // Not as `password`, whose failures are shown at the field of a proof.
  return attempt<ProofFailure>(`unlink ${method}`, async () => {
    const auth = await loadAuth(env);
    const token = await requireUser(auth).getIdToken();
    const answer = await postJson<{ customToken?: string }>(securityApiPaths.unlinkMethod, { token, method });
    if (answer.ok) {
      await renewUser(env, answer.data.customToken);
      return null;
    }
    if (answer.code === 'last-method') return answer.code;
    // A second factor was turned on since the page was loaded.
    const isOld = answer.status === 401 || answer.code === 'second-factor-required';
    return isOld ? 'auth/requires-recent-login' : toSignInFailure(answer).code;
  });
}

/**
 * Signs in at the identity provider again: the server has revoked the tokens of this browser, too. Without a custom token
 * nothing was changed, or the session could not be renewed either: then the page leads to sign-in.
 */
export async function renewUser(env: PublicEnv, customToken: string | undefined): Promise<void> {
  try {
    const auth = await loadAuth(env);
    if (customToken === undefined) return await auth.currentUser?.reload();
    const { signInWithCustomToken } = await import('../auth/provider/sdk');
    await signInWithCustomToken(auth, customToken);
    rememberProvider();
  } catch (error) {
    // The change is made all the same; the next one asks for a sign-in.
    reportError(error, { during: 'signing in again after all tokens were revoked' });
  }
}

/** @throws Error `No user logged in!` (docs/product.md#validation) */
export function requireUser({ currentUser }: Pick<Auth, 'currentUser'>): User {
  if (!currentUser) throw new Error('No user logged in!');
  return currentUser;
}

/** A method with a different email address can belong to another user, now or later: unlink it. */
async function checkLinked(user: User, id: SocialProviderId): Promise<AuthErrorCode | null> {
  const { firebaseId } = SOCIAL_PROVIDERS[id];
  const linked = user.providerData.find(({ providerId }) => providerId === firebaseId);
  if (!linked?.email || linked.email.toLowerCase() === user.email?.toLowerCase()) return null;
  const { unlink } = await import('../auth/provider/sdk');
  await unlink(user, firebaseId);
  return 'auth/link/invalid-email-for-link';
}

async function attempt<Failure extends ProofFailure = AuthErrorCode>(
  provider: string,
  work: () => Promise<Failure | null>,
): Promise<Failure | AuthErrorCode | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && error.message === 'No user logged in!') return 'auth/requires-recent-login';
    let code = provider === 'password' ? toAuthErrorCode(error) : federatedErrorCode(error, provider);
    if (provider === 'password' && isCredentialFailure(code)) code = WRONG_PASSWORD;
    if (shouldReport(code, error, provider)) reportError(error, { during: 'changing sign-in methods', provider });
    return code === 'auth/email-already-in-use' ? 'auth/email-already-in-use/link' : code;
  }
}

/** Leads to sign-in, which returns to /security, if the session is over. @returns whether the page is being left */
export async function leaveIfSignedOut(email: string | null): Promise<boolean> {
  const session = await checkAuthStatus();
  if (session.ok || session.status !== 401) return false;
  carriedEmail.set(email ?? '');
  window.location.assign(pathWithReturn('security', 'AutoSignOut'));
  return true;
}

/** A change that the user began, stored in this tab while they sign in again, and in that of an emailed link (`../auth/link-return.ts`). */
type PendingChange = { uid: string; change: unknown; at: number };

const KEY = 'pending-method-change';
const TTL_MS = 15 * 60_000;

/** @param uid of the user who began it */
export function keepPending(key: string, uid: string, change: unknown): void {
  const pending: PendingChange = { uid, change, at: Date.now() };
  storage('sessionStorage').setItem(key, JSON.stringify(pending));
}

/** Removes and returns the pending change; null when there is none, it has expired, another user began it, or another tab goes on with it. */
export function takePending(key: string, uid: string): unknown {
  const store = storage('sessionStorage');
  const { uid: owner, change, at = 0 } = Object(store.getJson(key)) as Partial<PendingChange>;
  store.removeItem(key);
  return owner === uid && Date.now() - at <= TTL_MS && !isLeftToLink(at) ? change : null;
}

export const keepPendingChange = (uid: string, change: MethodChange) => keepPending(KEY, uid, change);

/** The same for a change of the sign-in methods. */
export function takePendingChange(uid: string): MethodChange | null {
  const { kind, id } = Object(takePending(KEY, uid)) as Partial<MethodChange>;
  if (id === undefined) return null;
  if (kind === 'unlink') return { kind, id };
  return isSocialProvider(id) ? { kind: 'link', id } : null;
}
