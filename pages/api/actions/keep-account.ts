import { keepAccountByLink } from '@/lib/server/accounts';
import { linkCodeSchema, ownRoute } from '@/lib/server/http';
import { describeClient } from '@/lib/server/runtime';
import { byLink, readDeletionLink } from '@/lib/server/codes';

export const config = { api: { bodyParser: false } };

/** Cancels the scheduled deletion of an account by an emailed link. It creates no session. */
export default ownRoute(
  { body: linkCodeSchema, limit: byLink('undo-by-link', readDeletionLink) },
  async ({ req, body: { code } }) => {
    await keepAccountByLink(code, describeClient(req));
  },
);
