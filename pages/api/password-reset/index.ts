import { mailRoute } from '@/lib/server/accounts/mail-route';
import { requestReset } from '@/lib/server/accounts/recovery';
import { resetCookies } from '@/lib/server/accounts/setting';

export const config = { api: { bodyParser: false } };

/** Mails a reset code, or what else helps; the answer does not tell which. */
export default mailRoute(requestReset, (token) => resetCookies(token));
