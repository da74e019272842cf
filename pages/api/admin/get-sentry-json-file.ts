import { requireAdmin, apiRoute, sentryFile } from '@/lib/server/http';

export const config = { api: { bodyParser: false } };

/** Downloads the error reporting configuration, for operators (docs/product.md#analytics-and-error-reporting). */
export default apiRoute({ method: 'GET', stateChanging: false, limit: 'admin', audience: 'own' }, ({ req, res }) => {
  requireAdmin(req, res);
  res.setHeader('content-disposition', 'attachment; filename="sentry.json"');
  return sentryFile();
});
