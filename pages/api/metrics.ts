import { requireAdmin } from '@/lib/server/admin-token';
import { apiRoute } from '@/lib/server/api';
import { readMetrics } from '@/lib/server/counters';

export const config = { api: { bodyParser: false } };

/** What this process has counted, for a scraper with the admin token. Each process answers for itself. */
export default apiRoute(
  { method: 'GET', stateChanging: false, limit: 'metrics', audience: 'own' },
  async ({ req, res }) => {
    requireAdmin(req, res);
    const { type, text } = await readMetrics();
    res.setHeader('content-type', type);
    res.end(text);
  },
);
