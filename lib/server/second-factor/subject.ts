import { readHostCookie, type RequestWithCookies } from '@/lib/server/http';
import { requireSessionNow, type LiveSession } from '@/lib/server/session';
import { requireSignInToSetUp, type WaitingSignIn } from './waiting-sign-in';

/** Who sets a second factor up. `limitKey`: of its rate limit. */
export type SetUpSubject = { uid: string; limitKey: string } & (
  { by: 'session'; session: LiveSession } | { by: 'sign-in'; secret: string; waiting: WaitingSignIn }
);

/**
 * Who sets a second factor up: the signed-in user, or the one whose sign-in waits for it. The page says which of them it shows: a browser can have
 * both, of different accounts.
 * @throws ApiProblem as `requireSessionNow` and `requireSignInToSetUp`
 */
export async function requireSetUpSubject(
  req: RequestWithCookies,
  signIn: 'waiting' | undefined,
): Promise<SetUpSubject> {
  if (signIn === undefined) {
    const session = await requireSessionNow(req);
    const { uid } = session.status;
    return { by: 'session', uid, limitKey: uid, session };
  }
  const secret = readHostCookie(req, 'pendingSignIn') ?? '';
  const waiting = await requireSignInToSetUp(secret);
  const { uid, digest } = waiting.pending;
  return { by: 'sign-in', uid, limitKey: digest, secret, waiting };
}
