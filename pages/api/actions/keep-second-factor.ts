import { keepSecondFactorByLink } from '@/lib/server/second-factor';
import { linkCodeSchema, ownRoute } from '@/lib/server/http';
import { describeClient } from '@/lib/server/runtime';

export const config = { api: { bodyParser: false } };

/** Cancels the reset of a second factor by the link of an email about it. It creates no session. */
export default ownRoute({ body: linkCodeSchema, limit: 'try-code' }, async ({ req, body: { code } }) => {
  await keepSecondFactorByLink(code, describeClient(req));
});
