import { z } from 'zod';
import { apiRoute } from '@/lib/server/api';
import { enterpriseOf } from '@/lib/server/directory';

export const config = { api: { bodyParser: false } };

const body = z.object({ email: z.email().max(320) });

/** Which organisation signs in the owner of a work address, and by which provider (product decisions, 6). */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, limit: 'enterprise-lookup' },
  ({ body: { email } }) => enterpriseOf(email),
);
