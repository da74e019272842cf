import { requireAdmin } from '@/lib/server/admin-token';
import { apiRoute } from '@/lib/server/api';
import { sentryFile } from '@/lib/server/sentry-file';

export const config = { api: { bodyParser: false } };

/** Downloads how errors are reported, for operators (product decisions, 7). */
export default apiRoute({ method: 'GET', stateChanging: false, limit: 'admin', audience: 'own' }, ({ req, res }) => {
  requireAdmin(req, res);
  res.setHeader('content-disposition', 'attachment; filename="sentry.json"');
  return sentryFile();
});
