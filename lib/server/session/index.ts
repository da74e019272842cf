export { getAccountSecurity, getMethods } from './account-security';
export { changeOwnAccount } from './change-own-account';
export { buildClearedDeviceCookies, buildEndedSessionCookies, buildSignedOutCookie } from './cookies';
export {
  CUSTOM_TOKEN_TTL_SECONDS,
  isRecentAuthentication,
  mintCustomToken,
  mintCustomTokenForProof,
  mintRenewedTokenWithFactor,
  mintTokenOfFirstFactor,
  mintTokenOfSession,
  requireRecentSession,
} from './custom-token';
export { requiresSecondFactor } from './decide';
export { endOtherSessions } from './end-sessions';
export { requireFreshProof, verifyFreshProof } from './fresh-proof';
export { getAuthenticationTime, getHandoffMethod, getSessionProvider } from './handoff';
export { issueMobileCode, redeemMobileCode } from './mobile/codes';
export { getAppName, packMobileRequest, parseMobileRequest, readKeptMobileRequest } from './mobile/request';
export { isAbout, isAnnouncement } from './notify-of-sign-in';
export { requireSecondFactorAfterMail } from './pending-sign-in';
export { notifyOwner, proveMailbox } from './prove-mailbox';
export { onReauthentication, requiresReauthentication } from './reauthentication';
export { type RecordedSession, findAccountOfSession, readRecordedSession } from './recorded-session';
export { getRememberedUntil, isRememberedBrowser } from './remembered';
export { type RenewedSession, renewAfterRevocation, respondWithRenewed } from './renewed-session';
export { getRequiredAssurance, toSessionRequest } from './request';
export { requireProof } from './require-proof';
export {
  type LiveSession,
  endSession,
  getSessionBackend,
  getSessionCookie,
  hasEndedSession,
  requireSession,
  requireSessionNow,
  revokeAllSessions,
} from './require-session';
export type { CreatedSession, SessionRequest, SessionUser } from './types';
export { verifyCookie } from './verify-cookie';
export { watchSignIn } from './watch-sign-in';
export { authorizeSignIn, authorizeWithoutStep, verifySignIn, verifyToken } from './verify-sign-in';
