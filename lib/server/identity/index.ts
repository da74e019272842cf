export {
  assertAccountLock,
  evictAccount,
  evictOnAccountChange,
  hasAccountChangedSince,
  withAccountLock,
  changeAccountWithSessions,
  changeJudgedAccount,
  deleteAccount,
  removePasskeysInBackground,
  restoreProvedEmail,
} from './change-account';
export {
  getIdentityAdmin,
  fetchAppCheckService,
  fetchProjectResource,
  getAdminToken,
  nullOnCode,
  readStored,
  requireStored,
  callIdentityProvider,
  providerUnavailable,
  isUnavailable,
  retryWhileUnavailable,
  verifyJwt,
} from './admin';
export {
  assertProviderReachable,
  findByEmail,
  findById,
  countUsablePasskeys,
  getUsablePasskeys,
  hasPasskey,
} from './find';
export {
  type ProviderPasswordPolicy,
  applyVerificationCode,
  changeAccount,
  fetchPasswordPolicy,
  freezeAccount,
  getFirstEmail,
  idTokenByCustomToken,
  idTokenByPassword,
  inspectCode,
  resetPasswordByCode,
  signInWithLinkCode,
  toOwnTime,
  toProviderTime,
} from './identity-toolkit';
export { measureProviderCall } from './measure-call';
export { proxyAuthHelper } from './auth-helper';
