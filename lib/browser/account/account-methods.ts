import type { Auth, User, UserCredential } from 'firebase/auth';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { getServerTime, postJson } from '@/lib/browser/api-client';
import { checkAuthStatus } from '@/lib/browser/session/api';
import { securityApiPaths } from '@/lib/shared/security-paths';
import { SOCIAL_PROVIDERS, type SocialProviderId, isSocialProvider } from '@/lib/shared/sign-in-methods';
import { pathWithReturn } from '@/lib/shared/paths';
import { tryTypedPassword } from '@/lib/shared/account/typed-password';
import { getMissingProof, type FactorCode, type MethodChange } from '@/lib/shared/account/security';
import { storage } from '@/lib/browser/storage';
import { ensureProviderUser } from '../auth/sign-in/auto-sign-in';
import { isLeftToLink } from '../auth/link-return';
import { discardSignIn, loadAuthToSignIn } from '../auth/provider/provider-session';
import { type AuthErrorCode, isCredentialFailure, toAuthErrorCode, toSignInFailure } from '../auth/sign-in/error-codes';
import { federatedErrorCode, shouldReport } from '../auth/sign-in/federated-errors';
import {
  createFederatedProvider,
  getRedirectResultInTime,
  withPopup,
  type PopupWatcher,
} from '../auth/provider/federated-provider';
import { loadAuth } from '../auth/provider/firebase';
import { renewUser } from '../auth/provider/renew-user';
import { forgetRedirect, getPendingRedirect, rememberRedirect, rememberProvider } from '../auth/pending';
import type { PasskeyFailure } from '../passkeys/failure';
import type { FactorFailure } from '../second-factor/api';
import { carriedEmail } from './carried-email';

/** The session's user. */
type SessionUser = { uid: string; email: string | null; hasSecondFactor: boolean };

/**
 * Why a reauthentication or a change failed. `code-required`: the first factor is verified, and a code must follow.
 * `last-method`: the account must keep a method.
 */
export type ProofFailure = AuthErrorCode | PasskeyFailure | FactorFailure | 'code-required';

/** A failed proof that the password field shows. */
export const WRONG_PASSWORD = 'auth/wrong-password' satisfies AuthErrorCode;

type ProviderProof = { by: 'password'; password: string } | { by: 'provider'; provider: string };

/** How a signed-in user re-authenticates. `email`: a recent sign-in with an emailed link or code counts. */
export type AccountProof = ProviderProof | { by: 'passkey' } | { by: 'email' } | { by: 'code'; code: FactorCode };

/**
 * Re-authenticates the session's user before an account change. If the user is not signed in at the identity provider in
 * this browser, a sign-in there is the proof. An account with a second factor needs two proofs. After the first proof, the
 * result is `code-required`, and a code must follow. A passkey is both proofs.
 * @param sessionUser the session's user
 * @returns null when the user is verified
 */
export async function reauthenticate(
  env: PublicEnv,
  sessionUser: SessionUser,
  proof: AccountProof,
  watcher: PopupWatcher,
): Promise<ProofFailure | null> {
  // Since the page was loaded, the session may have ended or another user may have signed in.
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

/** Our server's claims in its tokens (lib/server/session/tokens.ts). */
type OwnClaims = { method?: string; proved_at?: number; factor?: string };

/**
 * Whether the user has signed in by email in this browser so recently that the server accepts it as a proof.
 * @returns null if it does; `code-required` if that sign-in showed no second factor, for example in a remembered browser
 */
export async function checkSignInByEmail(
  env: PublicEnv,
  { uid, hasSecondFactor }: SessionUser,
): Promise<'code-required' | 'auth/requires-recent-login' | null> {
  const tooOld = 'auth/requires-recent-login';
  try {
    // The link may have been opened in another tab, which has its own SDK.
    if ((await ensureProviderUser(env, uid)) !== 'known') return tooOld;
    const { claims } = await requireUser(await loadAuth(env)).getIdTokenResult();
    const { method = null, proved_at: provedAt = 0, factor } = Object(claims.learner_identity) as OwnClaims;
    const shown = { method, provedAt: provedAt * 1000, factors: factor === undefined ? 1 : 2 } as const;
    const missing = getMissingProof(shown, { hasSecondFactor }, getServerTime());
    if (missing === 'proof') return tooOld;
    return missing === 'code' ? 'code-required' : null;
  } catch {
    return tooOld;
  }
}

/** Whether a sign-in by email in this browser already proves the user, so that nothing is asked. */
export const hasRecentProof = async (env: PublicEnv, user: SessionUser): Promise<boolean> =>
  (await checkSignInByEmail(env, user)) === null;

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
  const [auth, sdk] = await Promise.all([loadAuthToSignIn(env), import('../auth/provider/sdk')]);
  if (proof.by === 'password')
    return tryPassword(proof.password, (password) => sdk.signInWithEmailAndPassword(auth, email ?? '', password));
  const provider = await createFederatedProvider(env, proof.provider);
  return withPopup(() => sdk.signInWithPopup(auth, provider, sdk.browserPopupRedirectResolver), watcher);
}

/** Rejects a different user selected in the provider's popup, because their account must not be changed. */
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
 * Links a social provider to the account by popup. It uses a redirect if that is configured or the popup is blocked.
 * @returns null if it is linked or the redirect is in progress
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
 * Removes a sign-in method from the account. Our server does it, because the identity provider would also remove the last
 * method.
 * @param method the identity provider's id of the method
 */
export function unlinkMethod(env: PublicEnv, method: string): Promise<ProofFailure | null> {
  // Do not return `password`, because the field of a proof shows those failures.
  return attempt<ProofFailure>(`unlink ${method}`, async () => {
    const auth = await loadAuth(env);
    const token = await requireUser(auth).getIdToken();
    const answer = await postJson<{ customToken?: string }>(securityApiPaths.unlinkMethod, { token, method });
    if (answer.ok) {
      await renewUser(env, answer.data.customToken);
      return null;
    }
    if (answer.code === 'last-method') return answer.code;
    // A second factor was turned on after the page was loaded.
    const isOld = answer.status === 401 || answer.code === 'second-factor-required';
    return isOld ? 'auth/requires-recent-login' : toSignInFailure(answer).code;
  });
}

/** @throws Error `No user logged in!` (docs/product.md#validation) */
export function requireUser({ currentUser }: Pick<Auth, 'currentUser'>): User {
  if (!currentUser) throw new Error('No user logged in!');
  return currentUser;
}

/** Unlinks a method with a different email address, because it can belong to another user now or later. */
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

/** If the session is over, leads to sign-in, which returns to /security. @returns whether the page is being left */
export async function leaveIfSignedOut(email: string | null): Promise<boolean> {
  const session = await checkAuthStatus();
  if (session.ok || session.status !== 401) return false;
  carriedEmail.set(email ?? '');
  window.location.assign(pathWithReturn('security', 'AutoSignOut'));
  return true;
}

/** A change that waits in this tab for a new sign-in. An emailed link carries it to its tab (`../auth/link-return.ts`). */
type PendingChange = { uid: string; change: unknown; at: number };

const KEY = 'pending-method-change';
const TTL_MS = 15 * 60_000;

/** Stores a pending change. @param uid the user who began it */
export function keepPending(key: string, uid: string, change: unknown): void {
  const pending: PendingChange = { uid, change, at: Date.now() };
  storage('sessionStorage').setItem(key, JSON.stringify(pending));
}

/** Removes and returns the pending change. Null if there is none, it has expired, or another user or tab has it. */
export function takePending(key: string, uid: string): unknown {
  const store = storage('sessionStorage');
  const { uid: owner, change, at = 0 } = Object(store.getJson(key)) as Partial<PendingChange>;
  store.removeItem(key);
  return owner === uid && Date.now() - at <= TTL_MS && !isLeftToLink(at) ? change : null;
}

export const keepPendingChange = (uid: string, change: MethodChange) => keepPending(KEY, uid, change);

/** Removes and returns a pending change of the sign-in methods. */
export function takePendingChange(uid: string): MethodChange | null {
  const { kind, id } = Object(takePending(KEY, uid)) as Partial<MethodChange>;
  if (id === undefined) return null;
  if (kind === 'unlink') return { kind, id };
  return isSocialProvider(id) ? { kind: 'link', id } : null;
}
