import * as z from 'zod/mini';
import { tokenField } from '@/lib/server/http';
import { bySession, requireProof, toSessionRequest } from '@/lib/server/session';
import { beginApp, signInField, requireSetUpSubject, factorRoute } from '@/lib/server/second-factor';

export const config = { api: { bodyParser: false } };

/**
 * Begins to add an authenticator app, for the signed-in user, who has authenticated within 5 minutes, or for a waiting
 * sign-in.
 */
export default factorRoute(
  { body: z.object({ token: z.optional(tokenField), signIn: signInField }), limit: bySession('create-session') },
  async ({ req, body: { token, signIn } }) => {
    const subject = await requireSetUpSubject(req, signIn);
    const request = toSessionRequest(req);
    if (subject.by === 'session') await requireProof(subject.session, token, request);
    return beginApp(subject, request);
  },
);
