import { requireAdmin } from '@/lib/server/http/admin-token';
import { apiRoute } from '@/lib/server/http/api-route';
import { env } from '@/lib/server/runtime/config/env';
import { readConfigFiles } from '@/lib/server/policy/directory/config-files';
import { readMetrics, recordConfigFile } from '@/lib/server/runtime/observability/metrics';

export const config = { api: { bodyParser: false } };

/** The metrics of this process only, for a scraper with the admin token. */
export default apiRoute(
  { method: 'GET', stateChanging: false, limit: 'metrics', audience: 'own' },
  async ({ req, res }) => {
    requireAdmin(req, res);
    for (const file of await readConfigFiles(env())) recordConfigFile(file);
    const { type, text } = await readMetrics();
    res.setHeader('content-type', type);
    res.end(text);
  },
);
