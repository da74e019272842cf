import { nameSchema } from '@/lib/shared/account/name-field';
import { changeName } from '@/lib/server/accounts';
import { apiRoute } from '@/lib/server/http';
import { requireSessionNow, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Changes the name of the signed-in user. */
export default apiRoute(
  { method: 'POST', body: nameSchema, stateChanging: true, limit: 'create-session', audience: 'own' },
  async ({ req, body: { name } }) => {
    await changeName(await requireSessionNow(req), name, toSessionRequest(req));
  },
);
