import { ApiProblem } from '@/lib/shared/problem';
import { env } from '@/lib/server/runtime';
import { ownRoute } from '@/lib/server/http';
import { bySession, mintHandoffToken, requireOwnRecentSession } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Creates a custom token for a live session with a sign-in within 5 minutes, if the SDK has lost its user. */
export default ownRoute({ limit: bySession('auto-sign-in') }, async ({ req }) => {
  if (env().SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
  return { customToken: await mintHandoffToken(await requireOwnRecentSession(req)) };
});
