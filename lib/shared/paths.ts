/**
 * All pages of this app, and what its API serves to others. Paths of the API that pages call are in `api-paths.ts`
 * and `security-paths.ts`: a page loads only those that it calls. No other module spells one out.
 */
export const paths = {
  signIn: '/sign-in',
  signOut: '/sign-out',
  linkAccount: '/sign-in/link-account',
  addPasskey: '/sign-in/add-passkey',
  secondFactor: '/sign-in/second-factor',
  setUpSecondFactor: '/sign-in/set-up-second-factor',
  keepAccount: '/sign-in/keep-account',
  emailLink: '/sign-in/with-email-link',
  enterprise: '/sign-in/enterprise',
  registration: '/registration',
  registrationConfirm: '/registration/confirm',
  registrationSuccess: '/registration/success',
  firstLoginReset: '/first-login-reset-password',
  forgetPassword: '/forget-password',
  forgetPasswordInstructions: '/forget-password/instructions',
  forgetPasswordReset: '/forget-password/reset',
  forgetPasswordConfirmation: '/forget-password/confirmation',
  changePassword: '/account-settings/change-password',
  actions: '/actions',
  security: '/security',
  courses: '/user/courses',
  partnerAuth: '/partner-auth/initiate',
  mobileAccountSelection: '/mobile/account-selection',
  appShell: '/app-shell',
  selfCheck: '/self-check',
} as const;

/** Pages for signed-out visitors: server and browser redirect a signed-in learner away from them. */
export const entryPages: readonly string[] = [paths.signIn, paths.emailLink, paths.enterprise, paths.registration];

/**
 * Pages that start, link or complete a provider sign-in: only their documents can load the sign-in helper
 * (docs/adr/0014).
 */
export const providerPages: readonly string[] = [
  paths.signIn,
  paths.registration,
  paths.linkAccount,
  paths.enterprise,
  paths.partnerAuth,
  paths.addPasskey,
  paths.setUpSecondFactor,
  paths.security,
];

/** Endpoints not called by our own pages: for apps, browsers, libraries and operators. */
export const serverPaths = {
  mobileToken: '/api/mobile/token',
  authHelper: '/api/auth-helper',
  errorTunnel: '/api/monitoring',
  policyReport: '/api/csp-report',
  sentryFile: '/api/admin/get-sentry-json-file',
  metrics: '/api/metrics',
  ready: '/api/health/ready',
  securityTxt: '/api/security-txt',
  relatedOrigins: '/api/related-origins',
  /** Short: every page loads the list of all routes. */
  passkeyEndpoints: '/api/passkeys',
  appleAppSiteAssociation: '/api/apple-app-site-association',
  assetLinks: '/api/asset-links',
} as const;

/** Well-known URIs (RFC 8615). */
export const wellKnownPaths = {
  /** RFC 9116. */
  securityTxt: '/.well-known/security.txt',
  /** W3C, A Well-Known URL for Changing Passwords. */
  changePassword: '/.well-known/change-password',
  /** WebAuthn Level 3, section 5.11. */
  relatedOrigins: '/.well-known/webauthn',
  /** W3C, A Well-Known URL for Relying Party Passkey Endpoints. */
  passkeyEndpoints: '/.well-known/passkey-endpoints',
  appleAppSiteAssociation: '/.well-known/apple-app-site-association',
  assetLinks: '/.well-known/assetlinks.json',
} as const;

export const wellKnownRoutes: ReadonlyMap<string, string> = new Map([
  [wellKnownPaths.securityTxt, serverPaths.securityTxt],
  [wellKnownPaths.relatedOrigins, serverPaths.relatedOrigins],
  [wellKnownPaths.passkeyEndpoints, serverPaths.passkeyEndpoints],
  [wellKnownPaths.appleAppSiteAssociation, serverPaths.appleAppSiteAssociation],
  [wellKnownPaths.assetLinks, serverPaths.assetLinks],
]);

/** Query parameters this app reads (docs/product.md#routes), and our own `return_to`. */
export const queryNames = {
  redirectUri: 'redirect_uri',
  notification: 'notification',
  theme: 'theme',
  /** Name, never a URL, of the page of this app to return to after sign-in. */
  returnTo: 'return_to',
  /** With `redirect_uri`: what the platform asks for (OpenID Connect Core 1.0, section 3.1.2.1). */
  acrValues: 'acr_values',
  /** Id of the flow that a page belongs to: the browser may have several (docs/adr/0022). */
  flow: 'flow',
} as const;

/** Pages of this app that need a session, by the name used in `return_to` (docs/product.md#callbacks). */
export const sessionPages = {
  security: paths.security,
  courses: paths.courses,
  'change-password': paths.changePassword,
  'add-passkey': paths.addPasskey,
  'keep-account': paths.keepAccount,
  'mobile-account-selection': paths.mobileAccountSelection,
} as const;
export type SessionPageName = keyof typeof sessionPages;

export function isSessionPageName(value: unknown): value is SessionPageName {
  return typeof value === 'string' && Object.hasOwn(sessionPages, value);
}

/** The name of the page at a path; null for pages that need no session. */
export function getSessionPageName(path: string): SessionPageName | null {
  return (
    Object.keys(sessionPages)
      .filter(isSessionPageName)
      .find((name) => sessionPages[name] === path) ?? null
  );
}

/**
 * Path of the sign-in page that returns to one of our own pages.
 * @param notification key of a toast to show there
 */
export function pathWithReturn(name: SessionPageName | null, notification?: string): string {
  const query = new URLSearchParams({
    ...(notification !== undefined && { [queryNames.notification]: notification }),
    ...(name !== null && { [queryNames.returnTo]: name }),
  }).toString();
  return query === '' ? paths.signIn : `${paths.signIn}?${query}`;
}

/** Path of a page of one flow; without a flow, it is the newest one's. */
export function pathWithFlow(path: string, flow: string | undefined): string {
  if (flow === undefined) return path;
  return `${path}?${new URLSearchParams({ [queryNames.flow]: flow }).toString()}`;
}

/**
 * What a platform can ask for, by the parameter of OpenID Connect (Core 1.0, section 3.1.2.1): `aal2` are two factors; any other value is
 * ignored.
 */
export const TWO_FACTORS = 'aal2';

/** @param value untrusted: of a URL or a cookie; space-separated, in order of preference */
export function toAssurance(value: string | undefined): 1 | 2 {
  return value === TWO_FACTORS ? 2 : 1;
}

/**
 * Maps externally defined paths to the API routes that handle them. Not in the framework's configuration, because its
 * rewrites are sent to every browser together with the code that evaluates them.
 */
export function getExternalRoute(pathname: string): string | null {
  // The specification defines this path for error and replay traffic.
  if (pathname === '/monitoring') return serverPaths.errorTunnel;
  const wellKnown = wellKnownRoutes.get(pathname);
  if (wellKnown !== undefined) return wellKnown;
  // RFC 8414, section 3.1: in front of the issuer's path. Without that path, the document still names the issuer.
  if (/^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(?:\/api\/oidc)?$/.test(pathname))
    return `${OIDC_PATH}/.well-known/openid-configuration`;
  // The identity provider's sign-in helper, on our own host (docs/adr/0010).
  const helper = /^\/__\/((?:auth|firebase)(?:\/.*)?)$/.exec(pathname);
  return helper ? `${serverPaths.authHelper}/${helper[1] ?? ''}` : null;
}

/** Path of the OpenID Provider's issuer. */
export const OIDC_PATH = '/api/oidc';

/** Query parameter of a sign-out that a client asked for: where it leads, sealed (docs/adr/0038). */
export const LOGOUT_RETURN = 'logout_return';

/** Query parameter of the page after a sign-out: the clients where the user is still signed in, sealed. */
export const LEFT_CLIENTS = 'left_clients';
