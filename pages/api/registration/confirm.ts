import * as z from 'zod/mini';
import { codeField } from '@/lib/account/code-schemas';
import { cookieTable } from '@/lib/cookies/table';
import { confirmEmail } from '@/lib/server/accounts/confirmation';
import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

/** Confirms an address with the code from the mail; answers with a custom token to sign in with. */
export default apiRoute(
  { method: 'POST', body: z.object({ code: codeField }), stateChanging: true, limit: 'try-code', audience: 'own' },
  async ({ req, body }) => ({
    customToken: await confirmEmail(req.cookies[cookieTable.emailConfirmationToken.name], body.code),
  }),
);
