import { emailRoute } from '@/lib/server/accounts/email-route';
import { requestReset } from '@/lib/server/accounts/recovery';
import { resetCookies } from '@/lib/server/accounts/email-context';

export const config = { api: { bodyParser: false } };

/** Emails a reset code or other help; the response does not reveal which. */
export default emailRoute('reset-password', requestReset, (token, { req }) => resetCookies(req, token));
