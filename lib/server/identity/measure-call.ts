import { isApiProblem } from '@/lib/shared/problem';
import { recordDependency, recordProviderCall } from '@/lib/server/runtime';

/** Operations of firebase-admin, and methods of the provider's REST API that firebase-admin does not cover. */
export type ProviderOperation =
  | 'createCustomToken'
  | 'createSessionCookie'
  | 'createUser'
  | 'deleteUser'
  | 'generateLink'
  | 'getUser'
  | 'getUserByEmail'
  | 'verifyIdToken'
  | 'verifySessionCookie'
  | 'accounts:lookup'
  | 'accounts:resetPassword'
  | 'accounts:signInWithCustomToken'
  | 'accounts:signInWithEmailLink'
  | 'accounts:signInWithPassword'
  | 'accounts:update'
  | 'getPasswordPolicy'
  /** A session call to the deployment that replaces the provider (`SESSION_BACKEND=upstream`). */
  | 'upstream';

/** These calls are mostly answered in this process, so their success does not show that the provider is up. */
const LOCAL: readonly ProviderOperation[] = ['createCustomToken', 'verifyIdToken', 'verifySessionCookie'];

/**
 * Times a call to the identity provider, and records whether the provider is up.
 * @param call throws ApiProblem; any code but `provider-unavailable` is a response of the provider
 */
export async function measureProviderCall<T>(operation: ProviderOperation, call: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  let result: 'ok' | 'refused' | 'unavailable' = 'ok';
  try {
    return await call();
  } catch (error) {
    result = isApiProblem(error) && error.code !== 'provider-unavailable' ? 'refused' : 'unavailable';
    throw error;
  } finally {
    recordProviderCall(operation, result, (performance.now() - begin) / 1000);
    if (result === 'unavailable') recordDependency('identity_provider', false);
    else if (!LOCAL.includes(operation)) recordDependency('identity_provider', true);
  }
}
