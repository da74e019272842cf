import { apiRoute, forwardEnvelope, MAX_ENVELOPE_BYTES } from '@/lib/server/http';

export const config = { api: { bodyParser: false } };

/** `POST /monitoring`: the same-origin tunnel to the error service (docs/product.md#calls). */
export default apiRoute(
  { method: 'POST', stateChanging: true, limit: 'monitoring', maxBody: MAX_ENVELOPE_BYTES },
  async ({ req, res }) => {
    for (const [name, value] of Object.entries(await forwardEnvelope(req))) res.setHeader(name, value);
  },
);
