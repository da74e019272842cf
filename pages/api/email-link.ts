import { emailRoute } from '@/lib/server/accounts/email-route';
import { signInLinkCookies } from '@/lib/server/notifications/email-context';

export const config = { api: { bodyParser: false } };

/** Emails a sign-in link or other help; the response does not reveal which. This browser stores the address. */
export default emailRoute('sign-in-link', ({ req, email, flow }) => signInLinkCookies(req, email, flow));
