import { requireAdmin } from '@/lib/server/http/admin-token';
import { apiRoute } from '@/lib/server/http/api-route';
import { sentryFile } from '@/lib/server/runtime/observability/sentry-file';

export const config = { api: { bodyParser: false } };

/** Downloads the error reporting configuration, for operators (docs/product.md#analytics-and-error-reporting). */
export default apiRoute({ method: 'GET', stateChanging: false, limit: 'admin', audience: 'own' }, ({ req, res }) => {
  requireAdmin(req, res);
  res.setHeader('content-disposition', 'attachment; filename="sentry.json"');
  return sentryFile();
});
