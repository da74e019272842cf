import { undoEmailChange } from '@/lib/server/accounts';
import { byLink, readEmailUndoLink } from '@/lib/server/codes';
import { linkCodeSchema, ownRoute } from '@/lib/server/http';
import { describeClient } from '@/lib/server/runtime';

export const config = { api: { bodyParser: false } };

/** Cancels a change of an account's email, or restores the former one, by the link of the former mailbox. */
export default ownRoute(
  { body: linkCodeSchema, limit: byLink('undo-by-link', readEmailUndoLink) },
  async ({ req, body: { code } }) => ({ done: await undoEmailChange(code, describeClient(req)) }),
);
