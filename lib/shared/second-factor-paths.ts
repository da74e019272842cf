/** API routes of the second factor. Apart from `apiPaths`, which every page loads as a whole. */
export const secondFactorPaths = {
  signIn: '/api/second-factor/sign-in',
  stepUp: '/api/second-factor/step-up',
  prove: '/api/second-factor/prove',
  addApp: '/api/second-factor/add-app',
  confirmApp: '/api/second-factor/confirm-app',
  recoveryCodes: '/api/second-factor/recovery-codes',
  confirmCodes: '/api/second-factor/confirm-codes',
  removeApp: '/api/second-factor/remove-app',
  resetCode: '/api/second-factor/reset-code',
  reset: '/api/second-factor/reset',
  cancelReset: '/api/second-factor/cancel-reset',
  cancelResetByLink: '/api/actions/keep-second-factor',
} as const;
