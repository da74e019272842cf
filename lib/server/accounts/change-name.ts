import { ApiProblem } from '@/lib/shared/problem';
import { env } from '@/lib/server/runtime';
import { consumeLimit, recordEvent } from '@/lib/server/storage';
import { type LiveSession, type SessionRequest, changeOwnAccount } from '@/lib/server/session';
import { changeAccountWithSessions } from '@/lib/server/identity';

/**
 * Changes the name of the signed-in user. It needs no recent authentication: a name gives no access, and its owner can change it back.
 * @throws ApiProblem `too-many-requests`, `not-found` for sessions of another deployment, 401, 503
 */
export async function changeName(
  { status: { uid } }: LiveSession,
  name: string,
  request: SessionRequest,
): Promise<void> {
  if (env().SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
  await consumeLimit('change-name', uid);
  await changeOwnAccount(uid, request, ({ user }) =>
    user.displayName === name ? Promise.resolve() : changeAccountWithSessions(uid, { displayName: name }),
  );
  recordEvent({ uid, kind: 'name-changed', client: request.client() });
}
