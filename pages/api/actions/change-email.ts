import { changeEmailByLink } from '@/lib/server/accounts';
import { byLink, readEmailChangeLink } from '@/lib/server/codes';
import { linkCodeSchema, ownRoute } from '@/lib/server/http';
import { describeClient } from '@/lib/server/runtime';

export const config = { api: { bodyParser: false } };

/** Changes the email of an account by the link of its new mailbox. It ends all sessions and creates none. */
export default ownRoute(
  { body: linkCodeSchema, limit: byLink('undo-by-link', readEmailChangeLink) },
  async ({ req, body: { code } }) => {
    await changeEmailByLink(code, describeClient(req));
  },
);
