import { mailRoute } from '@/lib/server/accounts/mail-route';
import { sendSignInHelp } from '@/lib/server/accounts/recovery';

export const config = { api: { bodyParser: false } };

/** Mails the owner of an address how to sign in; the answer tells nobody else. */
export default mailRoute(sendSignInHelp);
