import type { NotificationKey } from './page-notifications';

/**
 * All pages of this app, and the endpoints that others call. `api-paths.ts` and `security-paths.ts` have the endpoints
 * that pages call, so that a page loads only the paths it needs. No other module contains a literal path.
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

/** Pages for signed-out visitors. Server and browser redirect a signed-in learner away from them. */
export const entryPages: readonly string[] = [paths.signIn, paths.emailLink, paths.enterprise, paths.registration];

/**
 * Pages that start, link or complete a provider sign-in. Only their documents can load the sign-in helper
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

/** Endpoints for apps, browsers, libraries and operators, which our own pages do not call. */
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
  /** The path is short because every page loads the list of all routes. */
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
  /** Name of the page to return to after sign-in, never a URL. */
  returnTo: 'return_to',
  /** The assurance that the platform requests, with `redirect_uri` (OpenID Connect Core 1.0, section 3.1.2.1). */
  acrValues: 'acr_values',
  /** Id of the flow that a page belongs to. A browser can have several flows (docs/adr/0022). */
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

/** Returns the name of the page at a path, or null if the page needs no session. */
export function getSessionPageName(path: string): SessionPageName | null {
  return (
    Object.keys(sessionPages)
      .filter(isSessionPageName)
      .find((name) => sessionPages[name] === path) ?? null
  );
}

/**
 * Returns the path of the sign-in page that returns to another page of ours.
 * @param notification key of a toast to show there
 */
export function pathWithReturn(name: SessionPageName | null, notification?: NotificationKey): string {
  const query = new URLSearchParams({
    ...(notification !== undefined && { [queryNames.notification]: notification }),
    ...(name !== null && { [queryNames.returnTo]: name }),
  }).toString();
  return query === '' ? paths.signIn : `${paths.signIn}?${query}`;
}

/** Path of a page of a flow. Without a flow, the page belongs to the newest flow. */
export function pathWithFlow(path: string, flow: string | undefined): string {
  if (flow === undefined) return path;
  return `${path}?${new URLSearchParams({ [queryNames.flow]: flow }).toString()}`;
}

/** The value of `acr_values` that requests two factors (OpenID Connect Core 1.0, section 3.1.2.1). Others are ignored. */
export const TWO_FACTORS = 'aal2';

/** @param value untrusted, from a URL or a cookie; space-separated, in order of preference */
export function toAssurance(value: string | undefined): 1 | 2 {
  return value === TWO_FACTORS ? 2 : 1;
}

/**
 * Maps externally defined paths to the API routes that handle them. The framework would send rewrites in its
 * configuration to every browser, together with the code that evaluates them.
 */
export function getExternalRoute(pathname: string): string | null {
  // The specification defines this path for error and replay traffic.
  if (pathname === '/monitoring') return serverPaths.errorTunnel;
  const wellKnown = wellKnownRoutes.get(pathname);
  if (wellKnown !== undefined) return wellKnown;
  // RFC 8414, section 3.1, puts the well-known part before the issuer's path. Clients may omit that path.
  if (/^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(?:\/api\/oidc)?$/.test(pathname))
    return `${OIDC_PATH}/.well-known/openid-configuration`;
  // The identity provider's sign-in helper, on our own host (docs/adr/0010).
  const helper = /^\/__\/((?:auth|firebase)(?:\/.*)?)$/.exec(pathname);
  return helper ? `${serverPaths.authHelper}/${helper[1] ?? ''}` : null;
}

/** Path of the OpenID Provider's issuer. */
export const OIDC_PATH = '/api/oidc';

/** Query parameter of a sign-out that a client requested: its sealed destination (docs/adr/0038). */
export const LOGOUT_RETURN = 'logout_return';

/** Query parameter of the page after a sign-out: the sealed list of clients where the user is still signed in. */
export const LEFT_CLIENTS = 'left_clients';
