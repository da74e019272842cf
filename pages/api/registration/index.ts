import * as z from 'zod/mini';
import { passkeyRegistrationSchema, registrationSchema } from '@/lib/shared/account/registration-schema';
import { checkRegistration, emailCodeAndRespond, prepareRegistration } from '@/lib/server/accounts';
import { ownRoute, requireRelyingParty } from '@/lib/server/http';

export const config = { api: { bodyParser: false } };

const body = z.union([registrationSchema, passkeyRegistrationSchema]);

/** Creates an unverified account and emails its code; the response does not reveal whether the address was taken. */
export default ownRoute({ body, limit: 'email-by-client' }, async ({ body: registration, ...call }) => {
  if ('passkey' in registration) requireRelyingParty(call.req);
  await checkRegistration(registration);
  return emailCodeAndRespond(call, { purpose: 'confirm-email', email: registration.email }, (context) =>
    prepareRegistration(registration, context),
  );
});
