import { ApiProblem } from '@/lib/shared/problem';
import type { Account } from '@/lib/server/policy';
import { getSessionBackend } from './require-session';
import type { SessionRequest } from './types';
import { withAccountLock, findById } from '@/lib/server/identity';

/**
 * Serializes a change that the signed-in user makes (`withAccountLock`), and checks the session once more when it begins: the change
 * may have waited for a disavowal or a reset that has ended it.
 * @param work gets the account, with the email that the session was judged by
 * @throws ApiProblem 401 when the session has ended, or the account has another email by now; as `withAccountLock`, and what the work
 *   throws
 */
export function changeOwnAccount<T>(
  uid: string,
  { sessionCookie }: Pick<SessionRequest, 'sessionCookie'>,
  work: (account: Account) => Promise<T>,
): Promise<T> {
  const change = async () => {
    if (sessionCookie === null) throw new ApiProblem('session-required');
    const { status } = await getSessionBackend().check(sessionCookie, { uncached: true });
    const account = await findById(uid);
    if (account === null) throw new ApiProblem('user-deleted');
    if (account.facts.disabled || account.user.email !== (status.email ?? undefined))
      throw new ApiProblem('token-revoked');
    return work(account);
  };
  return withAccountLock(uid, change, { session: sessionCookie });
}
