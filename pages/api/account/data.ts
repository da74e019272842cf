import { downloadAccountData } from '@/lib/server/accounts';
import { ownRoute, tokenSchema } from '@/lib/server/http';
import { bySession, requireOwnSession, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Downloads the data that this product has about the signed-in user, who has just re-authenticated. */
export default ownRoute({ body: tokenSchema, limit: bySession('try-code') }, async ({ req, res, body: { token } }) => {
  const data = await downloadAccountData(await requireOwnSession(req), token, toSessionRequest(req));
  res.setHeader('content-disposition', `attachment; filename="account-data-${data.createdAt.slice(0, 10)}.json"`);
  return data;
});
