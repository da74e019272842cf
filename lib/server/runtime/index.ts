export {
  getAppConfig,
  getOriginsFile,
  listConfiguredIdentities,
  listOriginRules,
  readOrigin,
  readJson,
  readText,
} from './app-config';
export { type Ipv6Prefix, getClientAddress, type ClientDescription, describeClient } from './client';
export {
  ConfigurationError,
  env,
  getAuthHelperOrigin,
  getFileVariables,
  getListenHost,
  getPlatformOrigins,
  getPublicEnv,
  getServerSettings,
  readImportHashKey,
  runWithHostname,
  buildSecurityTxt,
} from './config/env';
export { isLocalHost, type Env, envelopeUrl } from './config/schema';
export { findNearestName, describeUnknownKeys } from './config/names';
export {
  isEqualInConstantTime,
  digest,
  type FlowPurpose,
  type CodePurpose,
  type LinkPurpose,
  codeHmac,
  deriveKeys,
  getSealingKeys,
  isStoredCode,
} from './keys';
export { escapeControls, escapeLines, writeConsoleToLog, log, logResponse, silenceLog } from './observability/log';
export { FairSemaphore, settle, shareCheck, Signal, sleepUntil, processWide, withTimeout } from './process';
export {
  hashAccount,
  hashAccountByEverySecret,
  type RequestFacts,
  getOwnTraceHeaders,
  getRequestFacts,
  getRequestIds,
  getTraceHeaders,
  readRequestId,
  runOutsideOfRequest,
  runWithRequest,
  setRequestAccount,
} from './observability/request-context';
export {
  type CountedKinds,
  recordDependency,
  countBreachCheck,
  countLimitHit,
  countLostEvent,
  countNotice,
  countPage,
  countPolicyViolation,
  countProof,
  countRefusedCallback,
  countRefusal,
  countResponse,
  countSignIn,
  observePool,
  readMetrics,
  recordBacklog,
  recordUnsentEmail,
  recordProviderCall,
  startEmailTimer,
  startMetrics,
  UNKNOWN_ROUTE,
  getRouteName,
} from './observability/metrics';
export { countSuppressed } from './observability/repeated-failures';
export { isShuttingDown, shutDownOnSignal } from './observability/shutdown';
export {
  BUILD_FILES_PATH,
  getBuildFileType,
  listBuildFiles,
  listStaticFiles,
  readBuildFile,
  readBuildId,
} from './build-files';
export { beginStart, endStart, isStarting, whenStarted } from './observability/startup';
export {
  type FileProblem,
  type FileState,
  type ParsedFile,
  type ReloadingFile,
  createReloadingFile,
  openConfigFile,
  parseJson,
} from './reload-file';
export {
  type WebhookTarget,
  WEBHOOK_EVENTS,
  listWebhookReceivers,
  readWebhookTarget,
  readWebhooksFile,
} from './webhook-receivers';
