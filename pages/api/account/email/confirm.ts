import * as z from 'zod/mini';
import { changeEmailByCode } from '@/lib/server/accounts';
import { appendCookies, buildClearCookie, ownRoute, readHostCookie } from '@/lib/server/http';
import { bySession, requireOwnSession, respondWithRenewed, toSessionRequest } from '@/lib/server/session';
import { codeField } from '@/lib/shared/account/code-schemas';

export const config = { api: { bodyParser: false } };

const body = z.object({ code: codeField });

/** Changes the email of the signed-in user with the emailed code. Ends all sessions and creates a new session. */
export default ownRoute({ body, limit: bySession('try-code') }, async ({ req, res, body: { code } }) => {
  const token = readHostCookie(req, 'emailChange');
  const renewed = await changeEmailByCode(await requireOwnSession(req), { token, code }, toSessionRequest(req));
  appendCookies(res, [buildClearCookie('emailChange')]);
  return respondWithRenewed({ req, res }, renewed);
});
