export { type ExplainedRequest, explainAuthorizationRequest } from './explain';
export { readOidcFiles } from './files';
export { handleOidc, isOidcOffered } from './handler';
export { sendDueLogouts } from './logouts';
export { requiresReauthentication } from './interaction';
export { isRuntimeSufficient } from './library';
export { scheduleOidcCleanup } from './rows';
