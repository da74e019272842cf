import * as z from 'zod/mini';
import { LINK_CODE_MAX } from '@/lib/shared/account/email-action';
import { keepAccountByLink } from '@/lib/server/accounts';
import { ownRoute } from '@/lib/server/http';
import { describeClient } from '@/lib/server/runtime';

export const config = { api: { bodyParser: false } };

const body = z.object({ code: z.string().check(z.minLength(1), z.maxLength(LINK_CODE_MAX)) });

/** Cancels the scheduled deletion of an account by the link of an email about it. It creates no session. */
export default ownRoute({ body, limit: 'try-code' }, async ({ req, body: { code } }) => {
  await keepAccountByLink(code, describeClient(req));
});
