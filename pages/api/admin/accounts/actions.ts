import { z } from 'zod';
import { apiRoute } from '@/lib/server/http';
import {
  accountIdSchema,
  actOnAccount,
  assertAllowed,
  hasOperatorToken,
  reasonSchema,
  requireOperator,
} from '@/lib/server/support';
import { ACCOUNT_ACTIONS } from '@/lib/shared/support/desk';

export const config = { api: { bodyParser: false } };

const body = z.strictObject({
  action: z.enum(ACCOUNT_ACTIONS),
  uid: accountIdSchema,
  reason: reasonSchema,
});

/** What support may do with an account (docs/support/index.md). No cookie gives access, so no page can forge a call. */
export default apiRoute(
  {
    method: 'POST',
    body,
    authenticate: ({ req, res }) => requireOperator(req, res),
    stateChanging: false,
    limit: 'admin',
    countElsewhere: hasOperatorToken,
    audience: 'own',
  },
  ({ caller, body: order }) => {
    assertAllowed(caller, order.action);
    return actOnAccount({ operator: caller.name, ...order });
  },
);
