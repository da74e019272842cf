import { apiRoute } from '@/lib/server/api';
import { forwardEnvelope, MAX_ENVELOPE } from '@/lib/server/monitoring';

export const config = { api: { bodyParser: false } };

/** `POST /monitoring`: the same-origin tunnel to the error service (specification, section 7). */
export default apiRoute(
  { method: 'POST', stateChanging: true, limit: 'monitoring', maxBody: MAX_ENVELOPE },
  async ({ req, res }) => {
    for (const [name, value] of Object.entries(await forwardEnvelope(req))) res.setHeader(name, value);
  },
);
