import type { DecodedIdToken, UserRecord } from 'firebase-admin/auth';
import { LRUCache } from 'lru-cache';
import { ApiProblem, type ProblemCode } from '@/lib/api/problem';
import { processWide } from '../process-wide';
import { identityAdmin } from './admin';
import { askProvider } from './provider-errors';
import { digest } from './sid';

/** How long what the provider said of a session holds, in milliseconds: less than the revocation window (docs/adr/0004). */
const FRESH = 20_000;
const MAX_SESSIONS = 10_000;

type Knowledge = { decoded: DecodedIdToken; user: UserRecord | null; dead: ProblemCode | null };

const cache = () =>
  processWide(
    'session-knowledge',
    () =>
      new LRUCache<string, Knowledge, string>({
        max: MAX_SESSIONS,
        ttl: FRESH,
        perf: { now: () => Date.now() },
        ttlResolution: 0,
        // Checks of one cookie that come while the provider is being asked share its answer.
        fetchMethod: (_key, _stale, { context }) => askAnew(context),
      }),
  );

/**
 * What is known of a session cookie: genuine, and its account in good standing within the last 20 s.
 * @throws ApiProblem 401 for a cookie that is not genuine or whose session is over, 503 when that cannot be decided
 */
export async function knowledgeOf(cookie: string): Promise<{ decoded: DecodedIdToken; user: UserRecord }> {
  const known = await ask(cookie);
  if (!known) throw new ApiProblem('session-required');
  const { decoded, user, dead } = known;
  if (dead !== null || user === null) throw new ApiProblem(dead ?? 'token-revoked');
  if (decoded.exp * 1000 <= Date.now()) throw new ApiProblem('token-expired');
  return { decoded, user };
}

/** What was forgotten while it was being asked for is asked for anew: the answer under way may be from before the change. */
async function ask(cookie: string): Promise<Knowledge | undefined> {
  const key = digest(cookie);
  const known = cache().get(key);
  if (known) return known;
  const fetchIt = () => cache().fetch(key, { context: cookie });
  try {
    return await fetchIt();
  } catch (error) {
    if (error instanceof ApiProblem) throw error;
    return fetchIt();
  }
}

/** Forgets what this process knows of an account's sessions, so that a change here holds at once. */
export function forgetSessionsOf(uid: string): void {
  for (const [key, { decoded }] of cache().entries()) if (decoded.uid === uid) cache().delete(key);
}

async function askAnew(cookie: string): Promise<Knowledge> {
  const decoded = await askProvider(identityAdmin().verifySessionCookie(cookie));
  try {
    const user = await askProvider(identityAdmin().getUser(decoded.uid));
    return { decoded, user, dead: verdictOn(decoded, user) };
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'user-deleted') throw error;
    return { decoded, user: null, dead: 'user-deleted' };
  }
}

function verdictOn(decoded: DecodedIdToken, user: UserRecord): ProblemCode | null {
  if (user.disabled) return 'user-disabled';
  const validAfter = user.tokensValidAfterTime ? Date.parse(user.tokensValidAfterTime) : 0;
  return decoded.auth_time * 1000 < validAfter ? 'token-revoked' : null;
}
