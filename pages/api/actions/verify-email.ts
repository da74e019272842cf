import * as z from 'zod/mini';
import { newPasswordField } from '@/lib/shared/account/fields';
import { appendCookies, linkCodeField, ownRoute } from '@/lib/server/http';
import { forgetNewAccount, getFlowTokens, readNewAccounts, verifyEmailByLink } from '@/lib/server/accounts';
import { getFlowContext, verifiedCookies } from '@/lib/server/notifications';
import { toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ code: linkCodeField, password: z.optional(newPasswordField) });

/** Confirms an address with an email link. In another browser, it requires a new password. */
export default ownRoute({ body, limit: 'try-code' }, async ({ req, res, body: link }) => {
  const tokens = await getFlowTokens(req, 'confirm-email');
  const opened = { ...link, tokens, newAccounts: await readNewAccounts(req) };
  const verified = await verifyEmailByLink(opened, await getFlowContext(req), toSessionRequest(req));
  if (verified.flow !== undefined) forgetNewAccount({ res }, verified.flow);
  appendCookies(res, verifiedCookies(req));
  return verified;
});
