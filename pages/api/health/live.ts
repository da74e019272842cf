import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

/** Whether the process answers at all: restart it when not. */
export default apiRoute({ method: 'GET', stateChanging: false, audience: 'own' }, () => ({ status: 'live' }));
