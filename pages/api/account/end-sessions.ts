import * as z from 'zod/mini';
import {
  bySession,
  respondWithRenewed,
  requireOwnSession,
  endOtherSessions,
  toSessionRequest,
} from '@/lib/server/session';
import { ownRoute, tokenField } from '@/lib/server/http';

export const config = { api: { bodyParser: false } };

const token = z.optional(tokenField);
const body = z.union([z.object({ session: z.uuid(), token }), z.object({ others: z.literal(true), token })]);

/** Ends a session of the signed-in user, or all but this session (docs/product.md#session). */
export default ownRoute(
  { body, limit: bySession('end-session') },
  async ({ req, res, body: { token: proof, ...which } }) => {
    const renewed = await endOtherSessions(await requireOwnSession(req), which, proof, toSessionRequest(req));
    return respondWithRenewed({ req, res }, renewed);
  },
);
