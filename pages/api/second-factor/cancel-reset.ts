import { keepSecondFactor } from '@/lib/server/second-factor';
import { ownRoute } from '@/lib/server/http';
import { describeClient } from '@/lib/server/runtime';
import { bySession, requireOwnSession } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Cancels the reset of the signed-in user's second factor. Does nothing if there is none. */
export default ownRoute({ limit: bySession('try-code') }, async ({ req }) => {
  await keepSecondFactor(await requireOwnSession(req), describeClient(req));
});
