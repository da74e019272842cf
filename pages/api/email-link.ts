import { env } from '@/lib/config/env';
import { asLongAsAsked, setCookieHeader } from '@/lib/cookies/server';
import { mailRoute } from '@/lib/server/accounts/mail-route';
import { requestSignInLink } from '@/lib/server/accounts/sign-in-link';

export const config = { api: { bodyParser: false } };

/** Mails a sign-in link, or what else helps; the answer does not tell which. Opened in this browser, it asks for no address. */
export default mailRoute(requestSignInLink, (_, { req, email }) =>
  asLongAsAsked(req, [setCookieHeader('signInEmail', email, env().NEXT_PUBLIC_MAIN_DOMAIN)]),
);
