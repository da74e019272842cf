import { nameSchema } from '@/lib/shared/account/name-field';
import { changeName } from '@/lib/server/accounts';
import { ownRoute } from '@/lib/server/http';
import { bySession, requireOwnSession, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Changes the name of the signed-in user. */
export default ownRoute({ body: nameSchema, limit: bySession('create-session') }, async ({ req, body: { name } }) => {
  await changeName(await requireOwnSession(req), name, toSessionRequest(req));
});
