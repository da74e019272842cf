import { TOKEN_PROBLEMS, type OperationDocs } from './types';

export const sessionDocs: Record<string, OperationDocs> = {
  '/api/create-user-session': {
    id: 'createUserSession',
    summary: "Opens a session from the identity provider's ID token",
    description: 'The token must be younger than 1200 s and of a sign-in that still counts.',
    answer: 'nothing',
    cookies:
      'Sets `_secure-user-session`, `kk_logged_in`, `kk_uid`, `kk_sid`, `kk_user_access_level` and `legacy-user-status`; reads and sets `known-browser`, but not on a shared computer.',
    problems: [
      ...TOKEN_PROBLEMS,
      ...(['token-too-old', 'email-missing', 'email-not-verified', 'legacy-reset-required', 'legacy-sign-in-required'] as const), // prettier-ignore
      ...(['invalid-enterprise-domain', 'provider-not-allowed', 'mail-unavailable', 'provider-unavailable'] as const),
    ],
  },
  '/api/check-auth-status': {
    id: 'checkAuthStatus',
    summary: 'Says who is signed in: 200 for a live session and for nothing else',
    description: 'Only 401 means signed out. With any other status nobody knows: ask again later.',
    answer: 'session',
    proof: 'session',
    cookies: 'Sets `kk_logged_in` to `0` with 401.',
  },
  '/api/initiate-logout': {
    id: 'initiateLogout',
    summary: 'Ends the session, here and for whoever kept its cookie; fine without a session, too',
    answer: 'nothing',
    cookies: 'Takes the cookies of the session away.',
    problems: ['provider-unavailable'],
  },
  '/api/clear-device': {
    id: 'clearDevice',
    summary: 'Ends the session and removes everything personal from this browser; fine without a session, too',
    description: 'For a browser that other people use.',
    answer: 'nothing',
    cookies: 'Takes every cookie of this app away but `marketing-consent`, and sets `kk_logged_in` to `0`.',
    problems: ['provider-unavailable'],
  },
  '/api/auto-sign-in': {
    id: 'autoSignIn',
    summary: 'A custom token for the person of the live session',
    description:
      'For a browser whose SDK has lost its user, within 5 minutes of the last proof. The token dies with the session. Not with another identity deployment.',
    answer: 'customToken',
    proof: 'session',
    problems: ['not-found', 'recent-login-required'],
  },
  '/api/mobile/authorize': {
    id: 'authorizeMobileApp',
    summary: 'Lets the mobile app in with the signed-in account',
    answer: 'mobileAddress',
    proof: 'session',
    cookies: 'Reads and takes away `mobile-request`.',
    problems: ['recent-login-required'],
  },
  '/api/mobile/token': {
    id: 'redeemMobileCode',
    summary: 'Exchanges the code that the mobile app was called back with for a custom token',
    description: 'Once, within 60 s, with the verifier of the challenge (RFC 7636). No cookie takes part.',
    answer: 'customToken',
    problems: ['invalid_grant', 'provider-unavailable'],
  },
  '/api/config/by-origin/{origin}': {
    id: 'readAppConfig',
    summary: 'Branding and switches of an origin',
    description: 'May be kept by shared caches for 300 s.',
    answer: 'appConfig',
    problems: ['bad-request', 'not-found', 'provider-unavailable'],
  },
  '/api/config/local': {
    id: 'readLocalConfig',
    summary: 'The config of local development; there is none on a public domain',
    answer: 'appConfig',
    problems: ['not-found', 'provider-unavailable'],
  },
  '/api/user/courses': {
    id: 'readCourses',
    summary: 'The courses of the learner who is signed in',
    answer: 'courses',
    proof: 'session',
  },
  '/api/auth-helper/{path}': {
    id: 'passOnAuthHelper',
    summary: "The identity provider's sign-in helper",
    description:
      'Reached as `/__/auth/…` and `/__/firebase/…`, for the files of the helper alone; answers what the helper answers. `POST` works as well.',
    answer: 'anything',
    problems: ['not-found', 'method-not-allowed', 'body-too-large', 'too-many-requests', 'provider-unavailable'],
  },
};
