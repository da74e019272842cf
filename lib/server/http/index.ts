export { requireAdmin } from './admin-token';
export { type Route, apiRoute, handleErrors, setApiHeaders } from './api-route';
export { assertPlaceBehindResponse, drainBehindResponses, runBehindResponse } from './behind-response';
export { assertContentLength, readBytes } from './body';
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
  readHostCookie,
  readPlainCookie,
} from './cookies';
export { handleCspReport } from './csp-report';
export { buildContentSecurityPolicy, toMetaPolicy } from './document/content-security-policy';
export { EARLY_SCRIPT } from './document/early-script';
export { getInlineHashes } from './document/inline-hashes';
export { readStyleSheet } from './document/style-text';
export { flowField, flowSchema, isFlowId } from './flow-id';
export { isInMainDomain } from './origins';
export { assertOwnOrigin } from './own-origin';
export { assertSameAccount } from './page-account';
export { guardCall, isProofOn, requireProofBeyond } from './proof-of-work';
export {
  type RelyingParty,
  arePasskeysOffered,
  getCallersRelyingParty,
  getRelyingParty,
  requireRelyingParty,
} from './relying-party';
export { chooseRequestLanguage } from './request-language';
export { getRequestOrigin } from './request-origin';
export { MAX_ENVELOPE_BYTES, forwardEnvelope } from './sentry-tunnel';
export { FORM_MEDIA_TYPE, GRANT_TYPE, OAUTH_ERRORS, toOAuthErrorCode } from './token-form';
