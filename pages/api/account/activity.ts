import * as z from 'zod/mini';
import { ApiProblem } from '@/lib/shared/problem';
import { apiRoute } from '@/lib/server/http/api-route';
import { getRecords, hasRecords } from '@/lib/server/records';
import { isRecordsError } from '@/lib/server/records/errors';
import { listEvents } from '@/lib/server/records/events';
import { requireSession } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ before: z.nullable(z.uuid()) });

/** Security events of the signed-in user's account, newest first. */
export default apiRoute(
  { method: 'POST', body, stateChanging: false, checksAccount: true, audience: 'own', limit: 'account-activity' },
  async ({ req, body: { before } }) => {
    const { status } = await requireSession(req);
    if (!hasRecords()) throw new ApiProblem('not-found');
    try {
      return await listEvents(await getRecords(), { uid: status.uid, now: new Date(), before });
    } catch (error) {
      if (isRecordsError(error) && error.isAway)
        throw new ApiProblem('records-unavailable', { retryAfter: 5, cause: error });
      throw error;
    }
  },
);
