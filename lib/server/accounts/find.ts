import type { UserRecord } from 'firebase-admin/auth';
import { toAccountFacts, type AccountFacts } from '../account-policy/account';
import { getDirectory } from '../directory';
import { getIdentityAdmin } from '../identity-provider/admin';
import { callIdentityProvider } from '../identity-provider/errors';

/** @returns the account of an email, or null. @throws ApiProblem 503 */
export function findByEmail(email: string): Promise<UserRecord | null> {
  return nullOnCode(getIdentityAdmin().getUserByEmail(email), 'auth/user-not-found');
}

/** @returns the account of an id, or null. @throws ApiProblem 503 */
export function findById(uid: string): Promise<UserRecord | null> {
  return nullOnCode(getIdentityAdmin().getUser(uid), 'auth/user-not-found');
}

/** Reads the account facts for the account policy. */
export async function getFacts(user: UserRecord): Promise<AccountFacts> {
  return toAccountFacts(user, await getDirectory());
}

/** The result of a call to firebase-admin; null if it throws the code. @throws ApiProblem for every other error */
export function nullOnCode<T>(request: Promise<T>, code: string): Promise<T | null> {
  return callIdentityProvider(
    request.catch((error: unknown) => {
      if (hasCode(error, code)) return null;
      throw error;
    }),
  );
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
