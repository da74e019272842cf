import { keepAccount } from '@/lib/server/accounts/deletion/keep';
import { apiRoute } from '@/lib/server/http/api-route';
import { describeClient } from '@/lib/server/runtime/client-description';
import { requireSessionNow } from '@/lib/server/session/require-session';

export const config = { api: { bodyParser: false } };

/** Cancels the scheduled deletion of the signed-in user's account; without one, does nothing. */
export default apiRoute(
  { method: 'POST', stateChanging: true, limit: 'try-code', audience: 'own' },
  async ({ req }) => {
    await keepAccount(await requireSessionNow(req), describeClient(req));
  },
);
