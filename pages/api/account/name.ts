import * as z from 'zod/mini';
import { createNameSchema } from '@/lib/shared/account/name-field';
import { changeName } from '@/lib/server/accounts';
import { ownRoute } from '@/lib/server/http';
import { env } from '@/lib/server/runtime';
import { bySession, requireOwnSession, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.lazy(() => createNameSchema(env().NEXT_PUBLIC_NAME_LENGTH));

/** Changes the name of the signed-in user. */
export default ownRoute({ body, limit: bySession('create-session') }, async ({ req, body: { name } }) => {
  await changeName(await requireOwnSession(req), name, toSessionRequest(req));
});
