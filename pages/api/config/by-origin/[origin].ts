import { ApiProblem } from '@/lib/api/problem';
import { apiRoute } from '@/lib/server/api';
import { answerAppConfig } from '@/lib/server/app-config/answer';
import { readOrigin } from '@/lib/server/app-config/origin';

export const config = { api: { bodyParser: false } };

/** Branding and switches of an origin (specification, section 7; product decisions, 4). */
export default apiRoute(
  { method: 'GET', stateChanging: false, limit: 'app-config', audience: 'public' },
  ({ req, res }) => {
    const { origin: written } = req.query;
    const origin = typeof written === 'string' ? readOrigin(written) : null;
    if (origin === null) throw new ApiProblem('bad-request', { detail: 'Not an origin' });
    return answerAppConfig(origin, res);
  },
);
