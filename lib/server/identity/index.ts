export {
  hasAccountChangedSince,
  markAccountChanged,
  changeAccountWithSessions,
  changeJudgedAccount,
  changeProvedEmail,
  deleteAccount,
  repairAccount,
  restoreProvedEmail,
} from './change-account';
export {
  getIdentityAdmin,
  fetchAppCheckService,
  fetchProjectResource,
  getAdminToken,
  nullOnCode,
  readStored,
  readStoredByEmail,
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
  recordProvedEmail,
  getAccount,
  countUsablePasskeys,
  getUsablePasskeys,
  hasPasskey,
  toAccount,
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
export { storeProofs } from './proofs';
export { createResetLink, createSignInLink } from './emailed-links';
export { measureProviderCall } from './measure-call';
export { proxyAuthHelper } from './auth-helper';
