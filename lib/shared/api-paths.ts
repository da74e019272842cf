/** Endpoints that open, renew, check and end a session (docs/product.md#calls). */
export const sessionApiPaths = {
  createUserSession: '/api/create-user-session',
  renewUserSession: '/api/renew-user-session',
  checkAuthStatus: '/api/check-auth-status',
  initiateLogout: '/api/initiate-logout',
  clearDevice: '/api/clear-device',
  requestConfirmation: '/api/email-confirmation',
} as const;

/**
 * Endpoints of the identity API (docs/product.md#calls), except the session endpoints above and those in
 * `security-paths.ts`.
 */
export const apiPaths = {
  configByOrigin: '/api/config/by-origin',
  configLocal: '/api/config/local',
  registration: '/api/registration',
  resendConfirmation: '/api/registration/resend',
  confirmEmail: '/api/registration/confirm',
  passwordReset: '/api/password-reset',
  resendReset: '/api/password-reset/resend',
  confirmReset: '/api/password-reset/confirm',
  resetByLink: '/api/actions/reset-password',
  verifyByLink: '/api/actions/verify-email',
  signInByLink: '/api/actions/sign-in',
  signInHelp: '/api/sign-in-help',
  autoSignIn: '/api/auto-sign-in',
  emailLink: '/api/email-link',
  signInByCode: '/api/email-link/confirm',
  mobileAuthorize: '/api/mobile/authorize',
  enterpriseLookup: '/api/enterprise/lookup',
  courses: '/api/user/courses',
  live: '/api/health/live',
} as const;
