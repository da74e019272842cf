import { normalizeAppCode } from '@/lib/shared/account/typed-codes';
import * as z from 'zod/mini';
import {
  confirmNewApp,
  factorCodeField,
  signInField,
  requireSetUpSubject,
  factorRoute,
} from '@/lib/server/second-factor';
import { bySession, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Confirms a new authenticator app by its first code. */
export default factorRoute(
  {
    body: z.object({ code: factorCodeField, app: z.optional(z.uuid()), signIn: signInField }),
    limit: bySession('create-session'),
  },
  async ({ req, body: { code, app, signIn } }) => {
    const subject = await requireSetUpSubject(req, signIn);
    return {
      recoveryCodes: await confirmNewApp(subject, { code: normalizeAppCode(code), app }, toSessionRequest(req)),
    };
  },
);
