import * as z from 'zod/mini';
import { emailField } from '@/lib/shared/account/fields';
import { getFlowContext } from '@/lib/server/notifications';
import { signInByLink } from '@/lib/server/accounts';
import { linkCodeField, ownRoute } from '@/lib/server/http';
import { toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ code: linkCodeField, email: emailField });

/** Signs in with the code of an email link, and returns a custom token for the sign-in. */
export default ownRoute({ body, limit: 'try-code' }, async ({ req, body: link }) => ({
  customToken: await signInByLink(link, await getFlowContext(req), toSessionRequest(req)),
}));
