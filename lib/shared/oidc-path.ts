/** Path of the OpenID Provider's issuer. In a module of its own: no page needs it. */
export const OIDC_PATH = '/api/oidc';
