import { changeEmailByLink } from '@/lib/server/accounts';
import { byLink, readEmailChangeLink } from '@/lib/server/codes';
import { linkCodeSchema, ownRoute } from '@/lib/server/http';
import { requireOwnSession, respondWithRenewed, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Changes the email of the signed-in user by the link of the new mailbox. Ends all sessions and creates a new session. */
export default ownRoute(
  { body: linkCodeSchema, limit: byLink('undo-by-link', readEmailChangeLink) },
  async ({ req, res, body: { code } }) => {
    const renewed = await changeEmailByLink(await requireOwnSession(req), code, toSessionRequest(req));
    return respondWithRenewed({ req, res }, renewed);
  },
);
