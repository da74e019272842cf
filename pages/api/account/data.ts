import * as z from 'zod/mini';
import { downloadAccountData } from '@/lib/server/accounts';
import { ownRoute } from '@/lib/server/http';
import { requireOwnSession, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ token: z.string().check(z.minLength(1)) });

/** Everything this product holds about the account of the signed-in user, who has just confirmed their identity. */
export default ownRoute({ body, limit: 'try-code' }, async ({ req, res, body: { token } }) => {
  const data = await downloadAccountData(await requireOwnSession(req), token, toSessionRequest(req));
  res.setHeader('content-disposition', `attachment; filename="account-data-${data.createdAt.slice(0, 10)}.json"`);
  return data;
});
