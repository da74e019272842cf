import { requireAdmin } from '@/lib/server/http/admin-token';
import { apiRoute } from '@/lib/server/http/api-route';
import { env } from '@/lib/server/config/env';
import { readConfigFiles } from '@/lib/server/config/files';
import { readMetrics, recordFileProblems } from '@/lib/server/observability/metrics';

export const config = { api: { bodyParser: false } };

/** The metrics of this process only, for a scraper with the admin token. */
export default apiRoute(
  { method: 'GET', stateChanging: false, limit: 'metrics', audience: 'own' },
  async ({ req, res }) => {
    requireAdmin(req, res);
    for (const { variable, problems } of await readConfigFiles(env())) recordFileProblems(variable, problems.length);
    const { type, text } = await readMetrics();
    res.setHeader('content-type', type);
    res.end(text);
  },
);
