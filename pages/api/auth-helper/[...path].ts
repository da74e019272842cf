export const config = { api: { bodyParser: false } };

/** The identity provider's sign-in helper under `/__/auth` and `/__/firebase` (docs/adr/0010). */
export { passOnAuthHelper as default } from '@/lib/server/auth-helper';
