export const config = { api: { bodyParser: false } };

/** The identity provider's sign-in helper under `/__/auth` and `/__/firebase` (docs/adr/0010). */
export { proxyAuthHelper as default } from '@/lib/server/identity';
