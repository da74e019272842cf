import * as z from 'zod/mini';
import { bySession, respondWithRenewed, toSessionRequest } from '@/lib/server/session';
import {
  confirmCodes,
  confirmCodesOfSignIn,
  respondToSignIn,
  factorCodeField,
  signInField,
  requireSetUpSubject,
  factorRoute,
} from '@/lib/server/second-factor';

export const config = { api: { bodyParser: false } };

/** Activates new recovery codes, and with the first app also the second factor. A waiting sign-in gets its session. */
export default factorRoute(
  { body: z.object({ recoveryCode: factorCodeField, signIn: signInField }), limit: bySession('create-session') },
  async ({ req, res, body: { recoveryCode, signIn } }) => {
    const [subject, request] = [await requireSetUpSubject(req, signIn), toSessionRequest(req)];
    if (subject.by === 'sign-in')
      return respondToSignIn({ req, res }, confirmCodesOfSignIn(subject, recoveryCode, request));
    const renewed = await confirmCodes(subject.session, recoveryCode, request);
    return respondWithRenewed({ req, res }, renewed);
  },
);
