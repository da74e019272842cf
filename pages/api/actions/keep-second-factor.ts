import { keepSecondFactorByLink } from '@/lib/server/second-factor';
import { linkCodeSchema, ownRoute } from '@/lib/server/http';
import { describeClient } from '@/lib/server/runtime';
import { byLink, readResetLink } from '@/lib/server/codes';

export const config = { api: { bodyParser: false } };

/** Cancels the reset of a second factor by an emailed link. It creates no session. */
export default ownRoute(
  { body: linkCodeSchema, limit: byLink('undo-by-link', readResetLink) },
  async ({ req, body: { code } }) => {
    await keepSecondFactorByLink(code, describeClient(req));
  },
);
