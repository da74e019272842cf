import { z } from 'zod';
import { apiRoute } from '@/lib/server/http';
import { assertAllowed, lookUpAccounts, reasonSchema, requireOperator } from '@/lib/server/support';

export const config = { api: { bodyParser: false } };

const query = z
  .object({
    email: z.string().min(3).max(320).optional(),
    uid: z.string().min(1).max(128).optional(),
    reason: reasonSchema.optional(),
  })
  .refine(({ email, uid }) => (email === undefined) !== (uid === undefined));

/** What support may see about an account (docs/support/index.md). */
export default apiRoute(
  {
    method: 'GET',
    query,
    authenticate: async ({ req, res }) => {
      const operator = await requireOperator(req, res);
      assertAllowed(operator, 'read');
      return operator;
    },
    stateChanging: false,
    limit: 'admin',
    audience: 'own',
  },
  ({ caller, query: lookUp }) => lookUpAccounts(caller.name, lookUp),
);
