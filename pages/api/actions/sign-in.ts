import * as z from 'zod/mini';
import { LINK_CODE_MAX } from '@/lib/shared/account/email-action';
import { emailField } from '@/lib/shared/account/fields';
import { getFlowContext } from '@/lib/server/notifications';
import { signInByLink } from '@/lib/server/accounts';
import { ownRoute } from '@/lib/server/http';
import { toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ code: z.string().check(z.minLength(1), z.maxLength(LINK_CODE_MAX)), email: emailField });

/** Signs in with the code of an email link; returns a custom token for the sign-in. */
export default ownRoute({ body, limit: 'try-code' }, async ({ req, body: link }) => ({
  customToken: await signInByLink(link, await getFlowContext(req), toSessionRequest(req)),
}));
