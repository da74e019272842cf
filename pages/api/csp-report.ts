import { apiRoute, handleCspReport } from '@/lib/server/http';

export const config = { api: { bodyParser: false } };

/** Receives CSP violation reports from browsers, which send them without cookies and often without an origin. */
export default apiRoute({ method: 'POST', stateChanging: false, limit: 'csp-report', audience: 'own' }, ({ req }) =>
  handleCspReport(req),
);
