import { z } from 'zod';
import { appendCookies, asLongAsAsked } from '@/lib/cookies/server';
import { apiRoute } from '@/lib/server/api';
import { sessionBackend } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ token: z.string().min(1) });

/** Opens a session from the identity provider's ID token (specification, section 7). */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, limit: 'create-session' },
  async ({ req, res, body: { token } }) => {
    appendCookies(res, asLongAsAsked(req, await sessionBackend().create(token)));
  },
);
