import {
  FACTOR_PROBLEMS,
  POLICY_PROBLEMS,
  PROVIDER_PROBLEMS,
  TOKEN_PROBLEMS,
  type OperationDocs,
} from '../response-schemas';

export const sessionDocs: Record<string, OperationDocs> = {
  '/api/create-user-session': {
    id: 'createUserSession',
    summary: 'Creates a session from an ID token of the identity provider',
    description:
      'The token must be younger than 1200 s, and its sign-in must not be revoked. Where the deployment keeps records, a sign-in older than 5 minutes only continues the live session of the same browser; without one the response is `recent-login-required`. `signal` is sent to our own pages alone, for an account that has or had a passkey. An account with a second factor is answered with `second-factor-required` and the cookie of `/api/second-factor/sign-in`; one that must have one, and has none, with `second-factor-setup-required` and the same cookie.',
    response: 'sessionCreated',
    cookies:
      'Sets `_secure-user-session`, `kk_logged_in`, `kk_uid`, `kk_sid`, `kk_user_access_level` and `legacy-user-status`; reads and sets `__Host-known-browser` and `__Host-device`, but not on a shared computer. `__Host-pending-sign-in` with `second-factor-required`.',
    problems: [
      ...TOKEN_PROBLEMS,
      'token-too-old',
      ...POLICY_PROBLEMS,
      ...PROVIDER_PROBLEMS,
      'mail-unavailable',
      'provider-unavailable',
      ...FACTOR_PROBLEMS,
      'records-unavailable',
      'session-required',
      'proof-required',
    ],
  },
  '/api/renew-user-session': {
    id: 'renewUserSession',
    summary: 'Renews the live session of the browser that it was opened in',
    description:
      'No token is needed. 404 where only an ID token renews the session (`create-user-session`): the deployment uses an upstream identity deployment.',
    response: 'nothing',
    proof: 'session',
    cookies: 'Reads `__Host-device`. Sets it and the cookies of `create-user-session`, except `__Host-known-browser`.',
    problems: ['not-found', 'recent-login-required', 'records-unavailable'],
  },
  '/api/check-auth-status': {
    id: 'checkAuthStatus',
    summary: 'Returns the signed-in user: 200 for a live session only',
    description: 'Only 401 means signed out. Any other status is inconclusive: retry later.',
    response: 'session',
    proof: 'session',
    cookies: 'Sets `kk_logged_in` to `0` with 401.',
  },
  '/api/initiate-logout': {
    id: 'initiateLogout',
    summary: 'Ends the session on the server and in this browser; succeeds without a session too',
    response: 'signedOut',
    cookies: 'Clears the session cookies.',
    problems: ['provider-unavailable'],
  },
  '/api/clear-device': {
    id: 'clearDevice',
    summary: 'Ends the session and deletes all personal data from this browser; succeeds without a session too',
    description: 'For a shared computer.',
    response: 'signedOut',
    cookies: 'Clears every cookie of this app except `marketing-consent` and `lang`, and sets `kk_logged_in` to `0`.',
    problems: ['provider-unavailable'],
  },
  '/api/auto-sign-in': {
    id: 'autoSignIn',
    summary: 'Returns a custom token for the user of the live session',
    description:
      'For a browser whose SDK has no user, within 5 minutes of the last authentication. The token is invalid once the session ends. Not available with an upstream identity deployment.',
    response: 'customToken',
    proof: 'session',
    problems: ['not-found', 'recent-login-required', 'records-unavailable'],
  },
  '/api/mobile/authorize': {
    id: 'authorizeMobileApp',
    summary: 'Authorizes the mobile app for the signed-in account',
    response: 'mobileAddress',
    proof: 'session',
    cookies: 'Reads and clears `__Host-mobile-request`.',
    problems: ['recent-login-required'],
  },
  '/api/mobile/token': {
    id: 'redeemMobileCode',
    summary: 'Exchanges the authorization code of the mobile app for a custom token',
    description:
      'Works once, within 60 s, with the code verifier (RFC 7636). Uses no cookies. JSON, or form encoding as OAuth libraries send it: the latter gets the responses and errors of RFC 6749, and is refused from pages of other origins.',
    response: 'mobileToken',
    problems: ['invalid_grant', 'provider-unavailable'],
  },
  '/api/config/by-origin/{origin}': {
    id: 'readAppConfig',
    summary: 'Returns the branding and feature flags of an origin',
    description: 'Shared caches may store it for 300 s.',
    response: 'appConfig',
    problems: ['bad-request', 'not-found', 'provider-unavailable'],
  },
  '/api/config/local': {
    id: 'readLocalConfig',
    summary: 'Returns the config of local development; 404 on a public domain',
    response: 'appConfig',
    problems: ['not-found', 'provider-unavailable'],
  },
  '/api/user/courses': {
    id: 'readCourses',
    summary: 'Returns the courses of the signed-in learner',
    response: 'courses',
    proof: 'session',
  },
  '/api/auth-helper/{path}': {
    id: 'passOnAuthHelper',
    summary: "The identity provider's sign-in helper",
    description:
      'Available as `/__/auth/…` and `/__/firebase/…`, for files of the helper only; returns its response. `POST` works too.',
    response: 'anything',
    problems: ['not-found', 'method-not-allowed', 'body-too-large', 'too-many-requests', 'provider-unavailable'],
  },
};

export const operatorDocs: Record<string, OperationDocs> = {
  '/api/health/live': {
    id: 'readLiveness',
    summary: 'Liveness: restart the process if it does not respond',
    response: 'live',
  },
  '/api/health/ready': {
    id: 'readReadiness',
    summary: 'Readiness: 503 while the process starts or shuts down',
    response: 'ready',
    problems: ['starting', 'shutting-down'],
  },
  '/api/metrics': {
    id: 'readMetrics',
    summary: 'Metrics of this process, in the Prometheus text format',
    response: 'text',
    proof: 'admin',
  },
  '/api/security-txt': {
    id: 'readSecurityContact',
    summary: "The operator's contact for vulnerability reports (RFC 9116); read it as `/.well-known/security.txt`",
    response: 'text',
    problems: ['not-found'],
  },
  '/api/related-origins': {
    id: 'readRelatedOrigins',
    summary:
      'Origins outside of the RP ID that use its passkeys (WebAuthn Level 3, section 5.11); read it as `/.well-known/webauthn`',
    response: 'relatedOrigins',
    problems: ['not-found'],
  },
  '/api/passkeys': {
    id: 'readPasskeyEndpoints',
    summary:
      'Where a learner adds and manages passkeys, for password managers (W3C, Passkey Endpoints); read it as `/.well-known/passkey-endpoints`',
    response: 'passkeyEndpoints',
    problems: ['not-found'],
  },
  '/api/apple-app-site-association': {
    id: 'readAppleAppSiteAssociation',
    summary: 'Apple apps that share credentials with this site; read it as `/.well-known/apple-app-site-association`',
    response: 'appleAppSiteAssociation',
    problems: ['not-found'],
  },
  '/api/asset-links': {
    id: 'readAssetLinks',
    summary:
      'Android apps that share credentials with this site (Digital Asset Links); read it as `/.well-known/assetlinks.json`',
    response: 'assetLinks',
    problems: ['not-found'],
  },
  '/api/admin/get-sentry-json-file': {
    id: 'readErrorReporting',
    summary: 'The error reporting settings, as the file `sentry.json`',
    response: 'errorReporting',
    proof: 'admin',
  },
  '/api/admin/accounts': {
    id: 'lookUpAccounts',
    summary: 'What support may see about the accounts of an email, an id, a support code or a request',
    description:
      'For operators of `OPERATORS_FILE` whose token allows `read`; 404 without that file. Name exactly one of `email`, `uid`, `supportCode` and `requestId`. The last two find the accounts of events that the tab or the request caused. If no account has `email`, the response lists what was sent to it. The owner of the account reads the name of the operator and `reason`. At most 60 calls an hour of one operator.',
    response: 'supportAccounts',
    proof: 'admin',
    problems: ['not-found', 'records-unavailable', 'provider-unavailable'],
  },
  '/api/admin/accounts/actions': {
    id: 'actOnAccount',
    summary: 'What support may do with an account',
    description:
      'For operators of `OPERATORS_FILE` whose token allows the action; 404 without that file. The owner of the account gets an email if the account changes, and reads the name of the operator and `reason`. `action-refused`: `detail` says which state of the account does not allow it. At most 30 calls an hour of one operator. No action sets a password, returns a code or a link, or opens a session.',
    response: 'supportAction',
    proof: 'admin',
    problems: ['not-found', 'action-refused', 'records-unavailable', 'provider-unavailable', 'mail-unavailable'],
  },
  '/api/csp-report': {
    id: 'reportViolations',
    summary: 'Receives CSP violation reports of browsers',
    response: 'nothing',
    takes: ['application/csp-report', 'application/reports+json', 'application/json'],
    problems: ['bad-request', 'unsupported-media-type'],
  },
  '/api/monitoring': {
    id: 'forwardEnvelope',
    summary: 'The tunnel to the error service; pages reach it as `/monitoring`',
    response: 'nothing',
    takes: ['application/x-sentry-envelope', 'text/plain'],
    problems: ['bad-request', 'unsupported-media-type', 'not-found', 'provider-unavailable'],
  },
};
