import * as z from 'zod/mini';
import { codeField } from '@/lib/shared/account/code-schemas';
import { cookieTable } from '@/lib/shared/cookie-table';
import { confirmEmail } from '@/lib/server/accounts/confirmation';
import { getFlowContext } from '@/lib/server/accounts/email-context';
import { apiRoute } from '@/lib/server/http/api-route';

export const config = { api: { bodyParser: false } };

/** Confirms an address with the code from the email; returns a custom token for the sign-in. */
export default apiRoute(
  { method: 'POST', body: z.object({ code: codeField }), stateChanging: true, limit: 'try-code', audience: 'own' },
  async ({ req, body }) => ({
    customToken: await confirmEmail(
      req.cookies[cookieTable.emailConfirmationToken.name],
      body.code,
      await getFlowContext(req),
    ),
  }),
);
