import { emailRoute } from '@/lib/server/accounts';
import { signInLinkCookies } from '@/lib/server/notifications';

export const config = { api: { bodyParser: false } };

/** Emails a sign-in link or other help, which the response does not reveal. This browser stores the address. */
export default emailRoute('sign-in-link', ({ req, email, flow }) => signInLinkCookies(req, email, flow));
