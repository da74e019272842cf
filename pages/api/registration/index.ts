import * as z from 'zod/mini';
import { createRegistrationSchemas } from '@/lib/shared/account/registration-schema';
import { checkRegistration, emailCodeAndRespond, prepareRegistration } from '@/lib/server/accounts';
import { ownRoute, requireRelyingParty } from '@/lib/server/http';
import { env } from '@/lib/server/runtime';
import { requireEnabled, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.lazy(() => {
  const { withPassword, withPasskey } = createRegistrationSchemas(env().NEXT_PUBLIC_NAME_LENGTH);
  return z.union([withPassword, withPasskey]);
});

/** Creates an unverified account and emails its code. The response does not reveal whether the address was taken. */
export default ownRoute({ body, limit: 'email-by-client' }, async ({ body: registration, ...call }) => {
  await requireEnabled('registration', toSessionRequest(call.req));
  if ('passkey' in registration) requireRelyingParty(call.req);
  await checkRegistration(registration);
  return emailCodeAndRespond(call, { purpose: 'confirm-email', email: registration.email }, (context) =>
    prepareRegistration(registration, context),
  );
});
