import { securityApiPaths } from '@/lib/shared/security-paths';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { postJson } from '@/lib/browser/api-client';
import { readCookie } from '@/lib/browser/cookies';
import { getNextAfterSignOut, initiateLogout, requestClearDevice } from '@/lib/browser/session/api';
import { setLeaving } from '@/lib/browser/session/end-session';
import { setPageAccount, broadcast } from '@/lib/browser/session/state';
import { getSessionPageName, pathWithReturn } from '@/lib/shared/paths';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { clearStorage } from '../../storage';
import { signOutOfFirebase } from '../provider/provider-session';
import { emitAuthEvent } from './events';
import { isSharedComputer } from './this-device';

type Options = { onError?: (error: Error) => void };

/**
 * Signs out in this browser: first at the identity provider, then the session on the server (docs/product.md#states).
 * @param options `onError` is called with each failure: of the identity provider, and of the session
 * @returns the page after it; null if the session has not ended
 */
export async function signOut(env: PublicEnv, { onError }: Options = {}): Promise<string | null> {
  const failure = await signOutOfFirebase(env);
  if (failure) onError?.(failure);
  const result = await whileLeaving(initiateLogout);
  if (!result.ok) {
    onError?.(new Error(`The session could not be ended: ${result.code}`));
    return null;
  }
  left();
  return getNextAfterSignOut(result);
}

/**
 * Signs out and removes all personal data from this browser. An ordinary sign-out only ends the session: a pending
 * registration or reset continues after it, e.g. when a link belongs to a different user than the signed-in one.
 * @returns the page after it; null if it did not succeed
 */
export async function signOutAndClearDevice(env: PublicEnv): Promise<string | null> {
  await signOutOfFirebase(env);
  const result = await whileLeaving(requestClearDevice);
  if (!result.ok) return null;
  left();
  clearDevice();
  return getNextAfterSignOut(result);
}

/** The cookies are cleared by the server. */
function clearDevice(): void {
  clearStorage();
  broadcast('device-cleared');
}

let wasShared = false;

/**
 * Signs out by a form, whose response leads on. First at the identity provider, as every sign-out, but the form works without it, and does
 * not wait for it any longer.
 */
export async function signOutByForm(env: PublicEnv, form: HTMLFormElement): Promise<void> {
  // Until the page is left: the cookies are cleared by the first of several redirects.
  setLeaving(true);
  await promiseTimeout(signOutOfFirebase(env)).catch(() => undefined);
  wasShared = isSharedComputer();
  // Once, also when it is pressed again because an app was opened and the page stayed.
  window.addEventListener('pagehide', leaveByForm, { once: true });
  form.submit();
}

/** The response has arrived; whether it has signed out is said by its cookies. */
function leaveByForm(): void {
  setLeaving(false);
  if (readCookie('loggedIn') === '1') return broadcast('session-changed');
  left();
  if (wasShared) clearDevice();
}

/** Ends every session of the account, on all devices. @returns the page after it; null if it did not succeed */
export async function signOutEverywhere(env: PublicEnv): Promise<string | null> {
  const result = await whileLeaving(() => postJson(securityApiPaths.signOutEverywhere));
  if (!result.ok) return null;
  await leaveAfterServerSignOut(env);
  return getNextAfterSignOut(result, pathWithReturn(null, 'AutoSignOut'));
}

/** Signs out in this browser after the server has ended all sessions of the account. */
export async function leaveAfterServerSignOut(env: PublicEnv): Promise<void> {
  if (isSharedComputer() && (await signOutAndClearDevice(env)) !== null) return;
  await signOutOfFirebase(env);
  left();
}

async function whileLeaving<T>(call: () => Promise<T>): Promise<T> {
  setLeaving(true);
  try {
    return await call();
  } finally {
    setLeaving(false);
  }
}

/** The next user of this tab can be a different one: do not prefill their form with this user's email address. */
function left(): void {
  carriedEmail.set('');
  setPageAccount(null);
  emitAuthEvent('signOut');
}

/**
 * Signs out and redirects to sign-in, which returns to the current page.
 * @param email prefilled on the sign-in page
 * @param path of that, or of another page that leads to a sign-in
 * @returns false when the session could not be ended; the page then stays open
 */
export async function signInAgain(
  env: PublicEnv,
  email: string | null,
  path = pathWithReturn(getSessionPageName(window.location.pathname)),
): Promise<boolean> {
  if ((await signOut(env)) === null) return false;
  if (email !== null) carriedEmail.set(email);
  window.location.assign(path);
  return true;
}
