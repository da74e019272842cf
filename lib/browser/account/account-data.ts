import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { paths, pathWithReturn } from '@/lib/shared/paths';
import type { SessionsToEnd } from '@/lib/shared/account/security';
import { securityApiPaths } from '@/lib/shared/security-paths';
import type { Activity } from '@/lib/shared/account/activity';
import { downloadFile } from '../download-file';
import { leaveAfterServerSignOut } from '../auth/sign-in/sign-out';
import { loadAuth } from '../auth/provider/firebase';
import { type AuthErrorCode, toAuthErrorCode, toSignInFailure } from '../auth/sign-in/error-codes';
import { broadcast } from '../session/state';
import { postJson } from '../api-client';
import { renewUser } from '../auth/provider/renew-user';
import { requireUser } from './account-methods';
import { checkSignIn, fetchAccountData, requestDeletion, type CallFailure } from './api';

/** A use of the account's whole data that requires a recent re-authentication. */
export type DataChange = 'download' | 'delete';

/** @returns null when it is done; after a requested deletion, the page is being left */
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
  // The request has also revoked the tokens of this browser.
  await renewUser(env, customToken);
  broadcast('session-changed');
  window.location.replace(paths.keepAccount);
  return null;
}

function toFailureCode(failure: CallFailure): AuthErrorCode {
  const isOld = failure.status === 401 || needsProof(failure.code);
  return isOld ? 'auth/requires-recent-login' : toSignInFailure(failure).code;
}

/**
 * Whether the user must re-authenticate. `second-factor-required`: the factor was turned on after the page was loaded.
 */
export function needsProof(code: CallFailure['code']): boolean {
  return code === 'recent-login-required' || code === 'second-factor-required';
}

/**
 * `proof-required`: the user must re-authenticate first. `signed-out`: this session has ended. `unavailable`: the
 * server could not respond now.
 */
export type EndResult = 'done' | 'proof-required' | 'signed-out' | 'unavailable' | 'failed';

/** Ends other sessions of the account. */
export async function requestEndOfSessions(env: PublicEnv, which: SessionsToEnd, token?: string): Promise<EndResult> {
  const body = token === undefined ? which : { ...which, token };
  const result = await postJson<{ customToken?: string }>(securityApiPaths.endSessions, body);
  if (result.ok) {
    // Ending all other sessions has also revoked the tokens of this browser.
    if (result.data.customToken !== undefined) await renewUser(env, result.data.customToken);
    return 'done';
  }
  if (result.code === 'recent-login-required' || result.code === 'second-factor-required') return 'proof-required';
  if (result.status === 401) return 'signed-out';
  return result.status === 503 || result.status === 0 ? 'unavailable' : 'failed';
}

/** Ends other sessions of a user who has just re-authenticated at the identity provider. */
export async function endSessionsWithProof(env: PublicEnv, which: SessionsToEnd): Promise<EndResult> {
  try {
    return await requestEndOfSessions(env, which, await requireUser(await loadAuth(env)).getIdToken());
  } catch (error) {
    if (error instanceof Error && error.message === 'No user logged in!') return 'proof-required';
    reportError(error, { during: 'signing out other sessions' });
    return 'failed';
  }
}

/**
 * Disavows a sign-in for a user who has just re-authenticated at the identity provider.
 * @returns `proof-required` if the user must re-authenticate first
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

/** Fetches the account's events before an event. @returns null if they cannot be loaded */
export async function fetchOlderEvents(before: string): Promise<Activity | null> {
  const result = await postJson<Activity>(securityApiPaths.accountActivity, { before });
  return result.ok ? result.data : null;
}
