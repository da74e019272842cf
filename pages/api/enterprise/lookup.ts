import { z } from 'zod';
import { apiRoute } from '@/lib/server/http';
import { getEnterprise } from '@/lib/server/policy';
import { requireEnabled, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ email: z.email().max(320) });

/**
 * Looks up the organization and its provider for a work email address (docs/product.md#screens). It has no rate limit,
 * because the response comes from memory. A limit by client address would let a single neighbor block a whole school.
 */
export default apiRoute({ method: 'POST', body, stateChanging: true }, async ({ req, body: { email } }) => {
  await requireEnabled('enterprise', toSessionRequest(req));
  return getEnterprise(email);
});
