import { apiRoute } from '@/lib/server/http';

export const config = { api: { bodyParser: false } };

/** Liveness probe: restart the process if it does not respond. */
export default apiRoute({ method: 'GET', stateChanging: false, audience: 'own' }, () => ({ status: 'live' }));
