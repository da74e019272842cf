/** Endpoints that only pages about an account call, such as /security. */
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
} as const;
