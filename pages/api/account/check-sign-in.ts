import * as z from 'zod/mini';
import { apiRoute } from '@/lib/server/http/api-route';
import { requireSessionNow } from '@/lib/server/session/require-session';
import { checkSignIn } from '@/lib/server/accounts/sign-in-alerts/check';

export const config = { api: { bodyParser: false } };

const body = z.object({ session: z.uuid(), isOwn: z.boolean() });

/** Whether a sign-in on a new browser was the signed-in user's. */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, audience: 'own', limit: 'try-code' },
  async ({ req, body: answer }) => checkSignIn(await requireSessionNow(req), answer),
);
