import * as z from 'zod/mini';
import { ownRoute, appendCookies, applySharedComputerExpiry } from '@/lib/server/http';
import { requireOffered } from '@/lib/server/policy';
import { factorFields, toTypedCode, stepUp } from '@/lib/server/second-factor';
import { requireOwnSession, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** The signed-in user shows the second factor, which a platform has asked for. */
export default ownRoute({ body: z.object(factorFields), limit: 'create-session' }, async ({ req, res, body }) => {
  requireOffered();
  const { cookies, codesLeft } = await stepUp(await requireOwnSession(req), toTypedCode(body), toSessionRequest(req));
  appendCookies(res, applySharedComputerExpiry(req, cookies));
  return { codesLeft };
});
