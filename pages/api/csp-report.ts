import { apiRoute } from '@/lib/server/api';
import { takePolicyReport } from '@/lib/server/policy-report';

export const config = { api: { bodyParser: false } };

/** Where browsers report violations of our pages' policies. They come without cookies and often without an origin. */
export default apiRoute({ method: 'POST', stateChanging: false, limit: 'csp-report', audience: 'own' }, ({ req }) =>
  takePolicyReport(req),
);
