import * as z from 'zod/mini';
import { createRegistrationSchemas } from '@/lib/shared/account/registration-schema';
import { beginRegistration, emailCodeAndRespond, keepNewAccount, prepareRegistration } from '@/lib/server/accounts';
import { ownRoute, requireRelyingParty } from '@/lib/server/http';
import { env } from '@/lib/server/runtime';
import { requireEnabled, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.lazy(() => {
  const { withPassword, withPasskey } = createRegistrationSchemas(env().NEXT_PUBLIC_NAME_LENGTH);
  return z.union([withPassword, withPasskey]);
});

/**
 * Emails the code that creates an account, and keeps what was typed in the browser. The response does not reveal whether
 * the address was taken.
 */
export default ownRoute({ body, limit: 'email-by-client' }, async ({ body: registration, ...call }) => {
  await requireEnabled('registration', toSessionRequest(call.req));
  if ('passkey' in registration) requireRelyingParty(call.req);
  const account = await beginRegistration(registration);
  const { email } = registration;
  const answer = await emailCodeAndRespond(call, { purpose: 'confirm-email', email }, (context) =>
    prepareRegistration(account, email, context),
  );
  await keepNewAccount(call, answer.flow, account);
  return answer;
});
