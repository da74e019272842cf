export {
  requireAdmin,
  type CallerLimit,
  type Route,
  apiRoute,
  consumeCallerLimit,
  handleErrors,
  setApiHeaders,
  assertSameAccount,
  FORM_MEDIA_TYPE,
  GRANT_TYPE,
  OAUTH_ERRORS,
  toOAuthErrorCode,
  ownRoute,
  readUnverified,
} from './api-route';
export {
  assertPlaceBehindResponse,
  drainBehindResponses,
  finishBeforeExit,
  reportFailure,
  runBehindResponse,
} from './behind-response';
export {
  assertContentLength,
  getMediaType,
  linkCodeField,
  linkCodeSchema,
  readBytes,
  tokenField,
  tokenSchema,
} from './body';
export {
  type RequestCookies,
  type RequestWithCookies,
  type SessionCookie,
  appendCookies,
  applySharedComputerExpiry,
  buildClearCookie,
  buildClearFlowCookie,
  buildClearPlainCookies,
  buildSetCookie,
  buildSetFlowCookie,
  buildSetSessionCookie,
  getFlowCookies,
  isSharedComputer,
  readCookie,
  readHostCookie,
  flowField,
  flowSchema,
  isFlowId,
  chooseRequestLanguage,
} from './cookies';
export { DIRECTIVES, handleCspReport, MAX_ENVELOPE_BYTES, forwardEnvelope, sentryFile } from './browser-reports';
export { challengeSchema, guardCall, holdRefusal, isProofOn, requireProofBeyond } from './proof-of-work';
export {
  buildContentSecurityPolicy,
  toMetaPolicy,
  EARLY_SCRIPT,
  getInlineHashes,
  readStyleSheet,
} from './document/content-security-policy';
export {
  isInMainDomain,
  assertOwnOrigin,
  type RelyingParty,
  arePasskeysOffered,
  getCallersRelyingParty,
  getRelyingParty,
  requireRelyingParty,
  getRequestOrigin,
} from './origins';
