import * as z from 'zod/mini';
import { passkeyRegistrationSchema, registrationSchema } from '@/lib/shared/account/registration-schema';
import { emailCodeAndRespond } from '@/lib/server/accounts/email-and-respond';
import { prepareRegistration } from '@/lib/server/accounts/registration';
import { apiRoute } from '@/lib/server/http/api-route';
import { requireRelyingParty } from '@/lib/server/http/relying-party';

export const config = { api: { bodyParser: false } };

const body = z.union([registrationSchema, passkeyRegistrationSchema]);

/** Creates an unverified account and emails its code; the response does not reveal whether the address was taken. */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, limit: 'email-by-client', audience: 'own' },
  ({ body: registration, ...call }) => {
    if ('passkey' in registration) requireRelyingParty(call.req);
    return emailCodeAndRespond(call, { purpose: 'confirm-email', email: registration.email }, (context) =>
      prepareRegistration(registration, context),
    );
  },
);
