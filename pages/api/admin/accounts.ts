import { z } from 'zod';
import { apiRoute } from '@/lib/server/http';
import { parseSupportCode } from '@/lib/shared/support/support-code';
import {
  accountIdSchema,
  assertAllowed,
  hasOperatorToken,
  lookUpAccounts,
  reasonSchema,
  requireOperator,
} from '@/lib/server/support';

export const config = { api: { bodyParser: false } };

const query = z
  .object({
    email: z.string().min(3).max(320).optional(),
    uid: accountIdSchema.optional(),
    supportCode: z
      .string()
      .min(8)
      .max(64)
      .optional()
      .describe(
        'As the caller sent it in `x-support-code`, or what an error page calls its support code: a request id',
      ),
    requestId: z.string().min(8).max(64).optional().describe('The header `x-request-id` of a response'),
    reason: reasonSchema.optional(),
  })
  .refine(({ reason: _reason, ...by }) => Object.values(by).filter((value) => value !== undefined).length === 1);

/** Learners read both kinds of codes by one name: `/self-check` shows the tab's, and an error page its request's id. */
function toCodeOrRequest(given: string) {
  const supportCode = parseSupportCode(given);
  return supportCode === null ? { requestId: given.trim() } : { supportCode };
}

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
    countElsewhere: hasOperatorToken,
    audience: 'own',
  },
  ({ caller, query: { supportCode, ...by } }) =>
    lookUpAccounts(caller, {
      ...by,
      ...(supportCode !== undefined && toCodeOrRequest(supportCode)),
    }),
);
