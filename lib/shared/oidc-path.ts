/** Path of the OpenID Provider's issuer. In a module of its own, as what is below: no page loads it. */
export const OIDC_PATH = '/api/oidc';

/** Query parameter of a sign-out that a client asked for: where it leads, sealed (docs/adr/0038). */
export const LOGOUT_RETURN = 'logout_return';
