import { z } from 'zod';
import { apiRoute } from '@/lib/server/http';
import { getEnterprise } from '@/lib/server/policy';

export const config = { api: { bodyParser: false } };

const body = z.object({ email: z.email().max(320) });

/**
 * Looks up the organization and its provider for a work email address (docs/product.md#screens). It has no rate limit: the answer
 * comes from memory, and a limit by client address would let one neighbor keep a whole school from its sign-in.
 */
export default apiRoute({ method: 'POST', body, stateChanging: true }, ({ body: { email } }) => getEnterprise(email));
