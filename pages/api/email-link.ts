import { env } from '@/lib/server/config/env';
import { applySharedComputerExpiry, buildSetCookie } from '@/lib/server/http/cookies';
import { emailRoute } from '@/lib/server/accounts/email-route';
import { requestSignInLink } from '@/lib/server/accounts/sign-in-link';

export const config = { api: { bodyParser: false } };

/** Emails a sign-in link or other help; the response does not reveal which. This browser stores the address. */
export default emailRoute('sign-in-link', requestSignInLink, (_, { req, email }) =>
  applySharedComputerExpiry(req, [buildSetCookie('signInEmail', email, env().NEXT_PUBLIC_MAIN_DOMAIN)]),
);
