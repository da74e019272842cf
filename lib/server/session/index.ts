export { bySession } from './caller';
export { changeOwnAccount, endOtherSessions, type RenewedSession, respondWithRenewed } from './own-sessions';
export { buildClearedDeviceCookies, buildEndedSessionCookies, buildSignedOutCookie } from './cookies';
export {
  CUSTOM_TOKEN_TTL_SECONDS,
  getSessionId,
  isRecentAuthentication,
  mintCustomToken,
  mintCustomTokenForProof,
  mintHandoffToken,
  mintRenewedToken,
  mintTokenOfFirstFactor,
  verifyCookie,
  verifyToken,
} from './tokens';
export {
  authorizeSignIn,
  authorizeWithoutStep,
  requireFactorOfRecords,
  requiresSecondFactor,
  verifySignIn,
} from './verify-sign-in';
export {
  requireFreshProof,
  verifyFreshProof,
  requireProof,
  type RecordedSession,
  findAccountOfSession,
  readRecordedSession,
  readRecordedSessionNow,
  type LiveSession,
  endSession,
  getSessionBackend,
  getSessionCookie,
  settleSessionCookie,
  hasEndedSession,
  requireSession,
  requireSessionAtOnce,
  requireOwnRecentSession,
  requireOwnSession,
  requireSessionNow,
  revokeAllSessions,
} from './require-session';
export {
  issueMobileCode,
  redeemMobileCode,
  getAppName,
  packMobileRequest,
  parseMobileRequest,
  readKeptMobileRequest,
} from './mobile';
export { isAbout, isAnnouncement } from './sessions';
export {
  type PendingSignIn,
  findPendingSignIn,
  passPendingSignIn,
  reopenPendingSignIn,
  requireSecondFactorAfterMail,
} from './pending-sign-in';
export { notifyOwner, proveMailbox } from './prove-mailbox';
export { syncAccountLanguage } from './account-language';
export {
  digestDevice,
  digestFlowBrowser,
  ensureDeviceSecret,
  getRememberedUntil,
  getRequiredAssurance,
  isRememberedBrowser,
  readDevice,
  requireEnabled,
  toSessionRequest,
} from './request';
export type { CreatedSession, SessionRequest, SessionUser, VerifiedToken } from './types';
export { countByBrowser, watchSignIn } from './watch-sign-in';
