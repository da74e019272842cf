import { emailRoute } from '@/lib/server/accounts';

export const config = { api: { bodyParser: false } };

/** Emails the account's sign-in methods to its address. The response does not reveal them. */
export default emailRoute('sign-in-help');
