import { securityApiPaths } from '@/lib/shared/security-paths';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { postJson } from '@/lib/browser/api-client';
import { readCookie } from '@/lib/browser/cookies';
import { getNextAfterSignOut, initiateLogout, requestClearDevice } from '@/lib/browser/session/api';
import { setLeaving } from '@/lib/browser/session/end-session';
import { setPageAccount, broadcast } from '@/lib/browser/session/state';
import type { NotificationKey } from '@/lib/shared/page-notifications';
import { getSessionPageName, pathWithReturn } from '@/lib/shared/paths';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { clearStorage } from '../../storage';
import { signOutOfFirebase } from '../provider/provider-session';
import { emitAuthEvent } from './events';
import { isSharedComputer } from './this-device';

type Options = { onError?: (error: Error) => void };

/**
 * Signs out in this browser: first at the identity provider, then the session on the server (docs/product.md#states).
 * @param options `onError` is called with each failure, of the identity provider or of the session
 * @returns the next page, or null if the session has not ended
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
  return getNextAfterSignOut(result, 'SignedOut');
}

/**
 * Signs out and removes all personal data from this browser. An ordinary sign-out only ends the session, so that a
 * pending registration or reset can continue, for example if a link belongs to another user.
 * @returns the next page, or null if it failed
 */
export async function signOutAndClearDevice(env: PublicEnv): Promise<string | null> {
  await signOutOfFirebase(env);
  const result = await whileLeaving(requestClearDevice);
  if (!result.ok) return null;
  left();
  clearDevice();
  return getNextAfterSignOut(result, 'DeviceCleared');
}

/** Clears the browser's storage. The server has cleared the cookies. */
function clearDevice(): void {
  clearStorage();
  broadcast('device-cleared');
}

let wasShared = false;

/**
 * Signs out by a form, whose response redirects. It signs out at the identity provider first, like every sign-out. The
 * form works without that, so it only waits for a short time.
 */
export async function signOutByForm(env: PublicEnv, form: HTMLFormElement): Promise<void> {
  // Stay in this state until the page is left, because the first of several redirects clears the cookies.
  setLeaving(true);
  await promiseTimeout(signOutOfFirebase(env)).catch(() => undefined);
  wasShared = isSharedComputer();
  // Listen once. The button may be pressed again if an app was opened and the page stayed.
  window.addEventListener('pagehide', leaveByForm, { once: true });
  form.submit();
}

/** Handles the form's response. Its cookies show whether it has signed out. */
function leaveByForm(): void {
  setLeaving(false);
  if (readCookie('loggedIn') === '1') return broadcast('session-changed');
  left();
  if (wasShared) clearDevice();
}

/** Ends every session of the account, on all devices. @returns the next page, or null if it failed */
export async function signOutEverywhere(env: PublicEnv): Promise<string | null> {
  const result = await whileLeaving(() => postJson(securityApiPaths.signOutEverywhere));
  if (!result.ok) return null;
  await leaveAfterServerSignOut(env);
  return getNextAfterSignOut(result, 'SignedOutEverywhere');
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

/**
 * Clears this tab's user. The next user can be another person, whose form must not contain this user's email address.
 */
function left(): void {
  carriedEmail.set('');
  setPageAccount(null);
  emitAuthEvent('signOut');
}

/** Returns the path of a sign-in that returns to the current page. @param notification what the sign-in page says */
export const getSignInPath = (notification?: NotificationKey) =>
  pathWithReturn(getSessionPageName(window.location.pathname), notification);

/**
 * Signs out and redirects to sign-in, which returns to the current page.
 * @param email prefilled on the sign-in page
 * @param path path of the sign-in page, or of another page that leads to a sign-in
 * @returns false if the session could not be ended, so that the page stays open
 */
export async function signInAgain(env: PublicEnv, email: string | null, path = getSignInPath()): Promise<boolean> {
  if ((await signOut(env)) === null) return false;
  if (email !== null) carriedEmail.set(email);
  window.location.assign(path);
  return true;
}
