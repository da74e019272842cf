/** Paths below the issuer: the library's, and our own `interaction`. Nothing else is answered. */
export const OIDC_ROUTES = {
  discovery: '/.well-known/openid-configuration',
  authorization: '/authorize',
  token: '/token',
  userinfo: '/userinfo',
  jwks: '/jwks',
  revocation: '/revoke',
  end_session: '/logout',
  signedOut: '/signed-out',
} as const;
export type OidcRoute = keyof typeof OIDC_ROUTES | 'resume' | 'interaction';

/** Of the path of an interaction, below the issuer; null for another one. The rule for callbacks has its shape (lib/shared/callback/rules.ts). */
export function readInteractionId(path: string): string | null {
  return /^\/interaction\/([\w-]{43})\/courses\/[a-z\d-]+$/.exec(path)?.[1] ?? null;
}

/** The id of the authorization request that a path goes on with. @returns null for other paths */
export function getFlowId(path: string): string | null {
  return /\/(?:authorize|interaction)\/([\w-]{43})(?=\/|$)/.exec(path)?.[1] ?? null;
}

/** @param path below the issuer, without query; null for an unknown one */
export function findRoute(path: string): OidcRoute | null {
  const found = Object.entries(OIDC_ROUTES).find(([, known]) => known === path);
  if (found) return found[0] as OidcRoute;
  if (/^\/authorize\/[\w-]{43}$/.test(path)) return 'resume';
  return readInteractionId(path) === null ? null : 'interaction';
}
