/** The only place that spells an address of this app. */
export const paths = {
  signIn: '/sign-in',
  linkAccount: '/sign-in/link-account',
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

/** Calls of the identity API (specification, section 7). */
export const apiPaths = {
  createUserSession: '/api/create-user-session',
  checkAuthStatus: '/api/check-auth-status',
  initiateLogout: '/api/initiate-logout',
  configByOrigin: '/api/config/by-origin',
  configLocal: '/api/config/local',
  registration: '/api/registration',
  resendConfirmation: '/api/registration/resend',
  confirmEmail: '/api/registration/confirm',
  requestConfirmation: '/api/email-confirmation',
  passwordReset: '/api/password-reset',
  resendReset: '/api/password-reset/resend',
  confirmReset: '/api/password-reset/confirm',
  resetByLink: '/api/actions/reset-password',
  signInHelp: '/api/sign-in-help',
  accountPassword: '/api/account/password',
  signOutEverywhere: '/api/account/sign-out-everywhere',
  autoSignIn: '/api/auto-sign-in',
  emailLink: '/api/email-link',
  mobileAuthorize: '/api/mobile/authorize',
  enterpriseLookup: '/api/enterprise/lookup',
  courses: '/api/user/courses',
  live: '/api/health/live',
} as const;

/** What others call than our own pages: apps, browsers by themselves, libraries, operators. */
export const serverPaths = {
  mobileToken: '/api/mobile/token',
  authHelper: '/api/auth-helper',
  errorTunnel: '/api/monitoring',
  policyReport: '/api/csp-report',
  sentryFile: '/api/admin/get-sentry-json-file',
  metrics: '/api/metrics',
  health: '/api/health',
} as const;

/** Query parameters this app reads (specification, section 2), and our own `return_to`. */
export const queryNames = {
  redirectUri: 'redirect_uri',
  notification: 'notification',
  theme: 'theme',
  /** Name, never an address, of the own page to come back to after sign-in. */
  returnTo: 'return_to',
  /** Which course /user/courses shows. */
  course: 'course',
} as const;

/** Query parameters of the identity provider's e-mail action links. */
export const actionQuery = { mode: 'mode', code: 'oobCode', continueUrl: 'continueUrl' } as const;

/** Own pages that need a session, by the name used in `return_to` (product decisions, 5). */
export const sessionPages = {
  security: paths.security,
  courses: paths.courses,
  'change-password': paths.changePassword,
  'mobile-account-selection': paths.mobileAccountSelection,
} as const;
export type SessionPageName = keyof typeof sessionPages;

export function isSessionPageName(value: unknown): value is SessionPageName {
  return typeof value === 'string' && Object.hasOwn(sessionPages, value);
}

/** The sign-in page, from which somebody comes back to one of our own pages. */
export function pathWithReturn(name: SessionPageName): string {
  return `${paths.signIn}?${new URLSearchParams({ [queryNames.returnTo]: name }).toString()}`;
}
