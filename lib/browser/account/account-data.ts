import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { paths, pathWithReturn } from '@/lib/shared/paths';
import { downloadFile } from '../download-file';
import { leaveAfterServerSignOut } from '../auth/sign-in/sign-out';
import { loadAuth } from '../auth/provider/firebase';
import { toAuthErrorCode, type AuthErrorCode } from '../auth/sign-in/error-codes';
import { toSignInFailure } from '../auth/sign-in/complete-sign-in';
import { renewUser, requireUser } from './account-methods';
import { broadcast } from '../session/tab-sync';
import { fetchAccountData, requestDeletion, type CallFailure } from './api';

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
  await renewUser(await loadAuth(env), customToken);
  broadcast('session-changed');
  window.location.replace(paths.keepAccount);
  return null;
}

function toFailureCode(failure: CallFailure): AuthErrorCode {
  const isOld = failure.status === 401 || needsProof(failure.code);
  return isOld ? 'auth/requires-recent-login' : toSignInFailure(failure).code;
}

/** `second-factor-required`: turned on since the page was loaded. */
function needsProof(code: CallFailure['code']): boolean {
  return code === 'recent-login-required' || code === 'second-factor-required';
}
