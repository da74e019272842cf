import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { paths, pathWithReturn } from '@/lib/shared/paths';
import type { DeviceSession, SessionsToEnd } from '@/lib/shared/account/security';
import { securityApiPaths } from '@/lib/shared/security-paths';
import type { Activity } from '@/lib/shared/account/activity';
import { downloadFile } from '../download-file';
import { leaveAfterServerSignOut } from '../auth/sign-in/sign-out';
import { loadAuth } from '../auth/provider/firebase';
import { toAuthErrorCode, type AuthErrorCode } from '../auth/sign-in/error-codes';
import { toSignInFailure } from '../auth/sign-in/complete-sign-in';
import { broadcast } from '../session/state';
import { postJson } from '../api-client';
import { renewUser, requireUser } from './account-methods';
import { checkSignIn, fetchAccountData, requestDeletion, type CallFailure } from './api';

/** What a user who has just re-authenticated can do with all data of the account. */
export type DataChange = 'download' | 'delete';

/** @returns null when it is done; after a deletion was requested, the page is being left */
export async function applyDataChange(env: PublicEnv, change: DataChange): Promise<AuthErrorCode | null> {
  try {
    const token = await requireUser(await loadAuth(env)).getIdToken();
    return change === 'download' ? await downloadData(token) : await deleteAccount(env, token);
  } catch (error) {
    if (error instanceof Error && error.message === 'No user logged in!') return 'auth/requires-recent-login';
    reportError(error, { during: `the change of account data: ${change}` });
    return toAuthErrorCode(error);
  }
}

async function downloadData(token: string): Promise<AuthErrorCode | null> {
  const result = await fetchAccountData(token);
  if (!result.ok) return toFailureCode(result);
  const name = `account-data-${new Date().toISOString().slice(0, 10)}.json`;
  downloadFile(name, JSON.stringify(result.data, null, 2), 'application/json');
  return null;
}

async function deleteAccount(env: PublicEnv, token: string): Promise<AuthErrorCode | null> {
  const result = await requestDeletion(token);
  if (!result.ok) return toFailureCode(result);
  const { customToken } = result.data;
  if (customToken === undefined) {
    await leaveAfterServerSignOut(env);
    window.location.replace(pathWithReturn(null, 'DeletionScheduled'));
    return null;
  }
  // The request has revoked the tokens of this browser, too.
  await renewUser(env, customToken);
  broadcast('session-changed');
  window.location.replace(paths.keepAccount);
  return null;
}

function toFailureCode(failure: CallFailure): AuthErrorCode {
  const isOld = failure.status === 401 || needsProof(failure.code);
  return isOld ? 'auth/requires-recent-login' : toSignInFailure(failure).code;
}

/** `second-factor-required`: turned on since the page was loaded. */
export function needsProof(code: CallFailure['code']): boolean {
  return code === 'recent-login-required' || code === 'second-factor-required';
}

/**
 * `proof-required`: the user has to authenticate again first; `signed-out`: this session is over; `unavailable`: the server could not
 * answer now.
 */
export type EndResult = 'done' | 'proof-required' | 'signed-out' | 'unavailable' | 'failed';

/** The other sessions of an account. */
export function getOtherDevices(devices: readonly DeviceSession[]): (DeviceSession & { id: string })[] {
  return devices.flatMap((device) => (device.isCurrent || device.id === null ? [] : [{ ...device, id: device.id }]));
}

/** Ends other sessions of the account. */
export async function endSessions(env: PublicEnv, which: SessionsToEnd, token?: string): Promise<EndResult> {
  const body = token === undefined ? which : { ...which, token };
  const result = await postJson<{ customToken?: string }>(securityApiPaths.endSessions, body);
  if (result.ok) {
    // Ending all others has revoked the tokens of this browser, too.
    if (result.data.customToken !== undefined) await renewUser(env, result.data.customToken);
    return 'done';
  }
  if (result.code === 'recent-login-required' || result.code === 'second-factor-required') return 'proof-required';
  if (result.status === 401) return 'signed-out';
  return result.status === 503 || result.status === 0 ? 'unavailable' : 'failed';
}

/** The same for a user who has just authenticated again at the identity provider. */
export async function endSessionsWithProof(env: PublicEnv, which: SessionsToEnd): Promise<EndResult> {
  try {
    return await endSessions(env, which, await requireUser(await loadAuth(env)).getIdToken());
  } catch (error) {
    if (error instanceof Error && error.message === 'No user logged in!') return 'proof-required';
    reportError(error, { during: 'signing out other sessions' });
    return 'failed';
  }
}

/**
 * Answers that a sign-in was not the user's own, for a user who has just authenticated again at the identity provider.
 * @returns `proof-required`: the user has to authenticate again first
 */
export async function denySignInWithProof(
  env: PublicEnv,
  session: string,
): Promise<Awaited<ReturnType<typeof checkSignIn>> | 'proof-required'> {
  try {
    const result = await checkSignIn(session, false, await requireUser(await loadAuth(env)).getIdToken());
    return !result.ok && needsProof(result.code) ? 'proof-required' : result;
  } catch (error) {
    if (!(error instanceof Error && error.message === 'No user logged in!'))
      reportError(error, { during: 'answering whose sign-in it was' });
    return 'proof-required';
  }
}

/** The account's events before one. @returns null when they cannot be loaded */
export async function fetchOlderEvents(before: string): Promise<Activity | null> {
  const result = await postJson<Activity>(securityApiPaths.accountActivity, { before });
  return result.ok ? result.data : null;
}
