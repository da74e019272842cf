import * as z from 'zod/mini';
import { newPasswordField } from '@/lib/shared/account/fields';
import { appendCookies, linkCodeField, ownRoute } from '@/lib/server/http';
import { resetPasswordByLink, invalidateResets } from '@/lib/server/accounts';
import { passwordSetCookies, getFlowContext } from '@/lib/server/notifications';

export const config = { api: { bodyParser: false } };

const body = z.object({ oobCode: linkCodeField, password: newPasswordField });

/** Sets a new password with the code of an email link, and ends all sessions of the account. */
export default ownRoute({ body, limit: 'try-code' }, async ({ req, res, body: { oobCode, password } }) => {
  const email = await resetPasswordByLink(oobCode, password, await getFlowContext(req));
  await invalidateResets(req, email);
  appendCookies(res, passwordSetCookies(req));
});
