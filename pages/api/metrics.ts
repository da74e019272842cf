import { requireAdmin, apiRoute } from '@/lib/server/http';
import { env, readMetrics, recordConfigFile } from '@/lib/server/runtime';
import { readOidcFiles } from '@/lib/server/oidc';
import { readConfigFiles } from '@/lib/server/policy';

export const config = { api: { bodyParser: false } };

/** The metrics of this process only, for a scraper with the admin token. */
export default apiRoute(
  { method: 'GET', stateChanging: false, limit: 'metrics', audience: 'own' },
  async ({ req, res }) => {
    requireAdmin(req, res);
    for (const file of [...(await readConfigFiles(env())), ...(await readOidcFiles())]) recordConfigFile(file);
    const { type, text } = await readMetrics();
    res.setHeader('content-type', type);
    res.end(text);
  },
);
