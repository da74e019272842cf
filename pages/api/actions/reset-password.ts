import * as z from 'zod/mini';
import { newPasswordField } from '@/lib/shared/account/fields';
import { linkCodeField, ownRoute } from '@/lib/server/http';
import { resetPasswordByLink, invalidateResets, respondWithReset } from '@/lib/server/accounts';
import { getFlowContext } from '@/lib/server/notifications';
import { toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ oobCode: linkCodeField, password: newPasswordField });

/** Sets a new password with the code of an email link, ends all sessions of the account, and signs in. */
export default ownRoute({ body, limit: 'try-code' }, async ({ req, res, body: link }) => {
  const { email, signIn } = await resetPasswordByLink(link, await getFlowContext(req), toSessionRequest(req));
  await invalidateResets(req, email);
  return respondWithReset({ req, res }, signIn);
});
