export const config = { api: { bodyParser: false } };

/** The OpenID Provider, with every path below its issuer (docs/adr/0038). */
export { handleOidc as default } from '@/lib/server/oidc';
