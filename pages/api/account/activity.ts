import * as z from 'zod/mini';
import { apiRoute } from '@/lib/server/http';
import { listEvents, withRecords } from '@/lib/server/storage';
import { bySession, requireSession } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ before: z.nullable(z.uuid()) });

/** Lists security events of the signed-in user's account, newest first. */
export default apiRoute(
  {
    method: 'POST',
    body,
    stateChanging: false,
    checksAccount: true,
    audience: 'own',
    limit: bySession('account-activity'),
  },
  async ({ req, body: { before } }) => {
    const { status } = await requireSession(req);
    return withRecords((records) => listEvents(records, { uid: status.uid, now: new Date(), before }));
  },
);
