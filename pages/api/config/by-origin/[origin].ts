import { ApiProblem } from '@/lib/shared/problem';
import { apiRoute } from '@/lib/server/http';
import { sendAppConfig } from '@/lib/server/web';
import { readOrigin } from '@/lib/server/runtime';

export const config = { api: { bodyParser: false } };

/** Branding and feature flags of an origin (docs/product.md#app-config). */
export default apiRoute(
  { method: 'GET', stateChanging: false, limit: 'app-config', audience: 'public' },
  ({ req, res }) => {
    const { origin: written } = req.query;
    const origin = typeof written === 'string' ? readOrigin(written) : null;
    if (origin === null) throw new ApiProblem('bad-request', { detail: 'Not an origin' });
    return sendAppConfig(origin, res);
  },
);
