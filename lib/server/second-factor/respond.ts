import type { NextApiRequest, NextApiResponse } from 'next';
import { isApiProblem } from '@/lib/shared/problem';
import { rememberBrowser } from '@/lib/server/notifications';
import { env } from '@/lib/server/runtime';
import { appendCookies, applySharedComputerExpiry, buildClearCookie } from '@/lib/server/http';
import { readSignal } from '@/lib/server/passkeys';
import type { CreatedSession } from '@/lib/server/session';

type Call = { req: NextApiRequest; res: NextApiResponse };

/**
 * Completes a sign-in that has waited for its second factor: sets the cookies of the session, and deletes that of the sign-in, also when
 * only a new one leads on.
 * @returns the body of the response
 */
export async function respondToSignIn({ req, res }: Call, completed: Promise<CreatedSession>) {
  const clear = buildClearCookie('pendingSignIn', env().NEXT_PUBLIC_MAIN_DOMAIN);
  const { cookies, email, user, deletionAt } = await completed.catch((error: unknown) => {
    if (isApiProblem(error) && ['code-locked', 'sign-in-expired'].includes(error.code)) appendCookies(res, [clear]);
    throw error;
  });
  appendCookies(res, [...applySharedComputerExpiry(req, cookies), clear]);
  if (email !== null) appendCookies(res, await rememberBrowser(req, email));
  const signal = await readSignal(req, user);
  const { uid = '', displayName = null } = user ?? {};
  return { uid, email, displayName, ...(signal && { signal }), ...(deletionAt !== null && { deletionAt }) };
}
