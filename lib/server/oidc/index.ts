export { type ExplainedRequest, explainOidcRequest, readOidcFiles } from './explain';
export { handleOidc, isOidcOffered } from './handler';
export {
  buildLeftPage,
  describeLeftClients,
  endSessionByCall,
  findLeftClients,
  findLeftClientsOfAccount,
  readLeftClients,
  toSignedOut,
  type LeftClient,
} from './left';
export { listLogoutClients, logoutJobs, sendTestLogout } from './logouts';
export { requiresReauthenticationForClient } from './interaction';
export { listClientIds } from './clients';
export { isRuntimeSufficient } from './context';
export { scheduleOidcCleanup } from './adapter';
export { readLogoutReturn } from './provider';
