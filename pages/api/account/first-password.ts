import * as z from 'zod/mini';
import { newPasswordField } from '@/lib/shared/account/fields';
import { ownRoute, tokenField } from '@/lib/server/http';
import { respondWithPasswordSet, setFirstPassword } from '@/lib/server/accounts';
import { toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ token: tokenField, password: newPasswordField });

/** Sets the first password of a legacy account, which it needs before it gets a session. Creates that session. */
export default ownRoute({ body, limit: 'try-code' }, async ({ req, res, body: { token, password } }) => {
  const session = await setFirstPassword(token, password, toSessionRequest(req));
  return respondWithPasswordSet({ req, res }, session);
});
