import { ApiProblem } from '@/lib/shared/problem';
import { getSessionBackend } from '../session';
import type { SessionRequest } from '../session/types';
import { withAccountLock } from './account-lock';

/**
 * Serializes a change that the signed-in user makes (`withAccountLock`), and checks the session once more when it begins: the change
 * may have waited for a disavowal or a reset that has ended it.
 * @throws ApiProblem 401 when the session has ended, as `withAccountLock`, and what the work throws
 */
export function changeOwnAccount<T>(
  uid: string,
  { sessionCookie }: Pick<SessionRequest, 'sessionCookie'>,
  work: () => Promise<T>,
): Promise<T> {
  return withAccountLock(uid, async () => {
    if (sessionCookie === null) throw new ApiProblem('session-required');
    await getSessionBackend().check(sessionCookie, { uncached: true });
    return work();
  });
}
