/** Endpoints that open, renew, check and end a session (docs/product.md#calls). */
export const sessionApiPaths = {
  createUserSession: '/api/create-user-session',
  renewUserSession: '/api/renew-user-session',
  checkAuthStatus: '/api/check-auth-status',
  initiateLogout: '/api/initiate-logout',
  clearDevice: '/api/clear-device',
  requestConfirmation: '/api/email-confirmation',
} as const;
