/** Endpoints that only account pages call, such as /security. */
export const securityApiPaths = {
  unlinkMethod: '/api/account/unlink-method',
  accountActivity: '/api/account/activity',
  checkSignIn: '/api/account/check-sign-in',
  endSessions: '/api/account/end-sessions',
  accountData: '/api/account/data',
  deleteAccount: '/api/account/delete',
  keepAccount: '/api/account/keep',
  keepByLink: '/api/actions/keep-account',
  disavowSignIn: '/api/actions/disavow-sign-in',
  firstPassword: '/api/account/first-password',
  signOutEverywhere: '/api/account/sign-out-everywhere',
  accountName: '/api/account/name',
  accountPassword: '/api/account/password',
  accountEmail: '/api/account/email',
  confirmAccountEmail: '/api/account/email/confirm',
  changeEmailByLink: '/api/actions/change-email',
  undoEmailChange: '/api/actions/undo-email-change',
} as const;

/** API routes of passkeys. They are not in `apiPaths`, because every page loads all of that. */
export const passkeyPaths = {
  signInOptions: '/api/passkeys/sign-in-options',
  signIn: '/api/passkeys/sign-in',
  proofOptions: '/api/passkeys/proof-options',
  prove: '/api/passkeys/prove',
  creationOptions: '/api/passkeys/creation-options',
  add: '/api/passkeys/add',
  rename: '/api/passkeys/rename',
  remove: '/api/passkeys/remove',
} as const;

/** API routes of the second factor. They are not in `apiPaths`, because every page loads all of that. */
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

/** Query parameters of the identity provider's email action links. */
export const actionQuery = { mode: 'mode', code: 'oobCode', continueUrl: 'continueUrl', flow: 'flow' } as const;
