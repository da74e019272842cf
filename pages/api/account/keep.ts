import { keepAccount } from '@/lib/server/accounts';
import { ownRoute } from '@/lib/server/http';
import { describeClient } from '@/lib/server/runtime';
import { bySession, requireSessionNow } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Cancels the scheduled deletion of the signed-in user's account. Does nothing if there is none. */
export default ownRoute({ limit: bySession('try-code') }, async ({ req }) => {
  await keepAccount(await requireSessionNow(req), describeClient(req));
});
