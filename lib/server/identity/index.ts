export { evictAccount, evictOnAccountChange, hasAccountChangedSince } from './account-changes';
export { withAccountLock } from './account-lock';
export { getIdentityAdmin } from './admin';
export { changeAccountWithSessions } from './change-account';
export { changeJudgedAccount } from './change-judged-account';
export { callIdentityProvider, providerUnavailable } from './errors';
export { assertProviderReachable, findByEmail, findById } from './find';
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
} from './identity-toolkit';
export { measureProviderCall } from './measure-call';
export { fetchProjectResource, getAdminToken } from './project-api';
export { nullOnCode, readStored } from './read-stored';
export { removePasskeysInBackground } from './remove-passkeys';
export { restoreProvedEmail } from './restore-email';
export { isUnavailable, retryWhileUnavailable } from './retry';
export { countUsablePasskeys, getUsablePasskeys, hasPasskey } from './usable-passkeys';
export { proxyAuthHelper } from './auth-helper';
