import type { StoredAccount } from '@/lib/server/policy';
import { getIdentityAdmin } from './admin';
import { callIdentityProvider } from './errors';
import type { ProviderOperation } from './operations';

/** An account as the identity provider has it, without facts; null when there is none. @throws ApiProblem 503 */
export function readStored(uid: string): Promise<StoredAccount | null> {
  return nullOnCode(getIdentityAdmin().getUser(uid), 'getUser', 'auth/user-not-found');
}

/** The result of a call to firebase-admin; null if it throws the code. @throws ApiProblem for every other error */
export function nullOnCode<T>(request: Promise<T>, operation: ProviderOperation, code: string): Promise<T | null> {
  return callIdentityProvider(
    request.catch((error: unknown) => {
      if (hasCode(error, code)) return null;
      throw error;
    }),
    operation,
  );
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
