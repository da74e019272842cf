import { z } from 'zod';
import { apiRoute } from '@/lib/server/http';
import { getEnterprise } from '@/lib/server/policy';

export const config = { api: { bodyParser: false } };

const body = z.object({ email: z.email().max(320) });

/** Looks up the organization and its provider for a work email address (docs/product.md#screens). */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, limit: 'enterprise-lookup' },
  ({ body: { email } }) => getEnterprise(email),
);
