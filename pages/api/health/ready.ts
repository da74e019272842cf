import { apiRoute } from '@/lib/server/api';
import { readiness } from '@/lib/server/readiness';

export const config = { api: { bodyParser: false } };

/** Whether requests should come to this process: 503 while it is about to end. */
export default apiRoute({ method: 'GET', stateChanging: false, audience: 'own' }, () => readiness());
