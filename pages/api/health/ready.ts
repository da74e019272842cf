import { apiRoute } from '@/lib/server/http';
import { getReadiness } from '@/lib/server/web';

export const config = { api: { bodyParser: false } };

/** Readiness probe: 503 while the process shuts down. */
export default apiRoute({ method: 'GET', stateChanging: false, audience: 'own' }, () => getReadiness());
