import * as z from 'zod/mini';
import { bySession, respondWithRenewed, toSessionRequest } from '@/lib/server/session';
import {
  confirmCodes,
  confirmCodesOfSignIn,
  respondToSignIn,
  codeField,
  signInField,
  requireSetUpSubject,
  factorRoute,
} from '@/lib/server/second-factor';

export const config = { api: { bodyParser: false } };

/** Puts new recovery codes in force, and with the first app the second factor. A sign-in that waits for it gets its session. */
export default factorRoute(
  { body: z.object({ recoveryCode: codeField, signIn: signInField }), limit: bySession('create-session') },
  async ({ req, res, body: { recoveryCode, signIn } }) => {
    const [subject, request] = [await requireSetUpSubject(req, signIn), toSessionRequest(req)];
    if (subject.by === 'sign-in')
      return respondToSignIn({ req, res }, confirmCodesOfSignIn(subject, recoveryCode, request));
    const renewed = await confirmCodes(subject.session, recoveryCode, request);
    return respondWithRenewed({ req, res }, renewed);
  },
);
