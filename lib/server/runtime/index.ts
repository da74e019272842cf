export { getAppConfig, getOriginsFile, listConfiguredIdentities, listOriginRules } from './app-config';
export { readOrigin } from './app-config/origin';
export { type Ipv6Prefix, getClientAddress } from './client-address';
export { type ClientDescription, describeClient } from './client-description';
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
} from './config/env';
export { isLocalHost } from './config/local-host';
export { findNearestName } from './config/nearest-name';
export type { Env } from './config/schema';
export { buildSecurityTxt } from './config/security-contact';
export { describeUnknownKeys } from './config/unknown-keys';
export { isEqualInConstantTime } from './constant-time';
export { digest } from './digest';
export { escapeControls, escapeLines } from './escape-controls';
export { FairSemaphore } from './fair-semaphore';
export {
  type FlowPurpose,
  type CodePurpose,
  type LinkPurpose,
  type Secrets,
  codeHmac,
  deriveKeys,
  getSealingKeys,
  isStoredCode,
} from './keys';
export { hashAccount, hashAccountByEverySecret } from './observability/account-hash';
export { recordDependency } from './observability/dependencies';
export { envelopeUrl } from './observability/dsn';
export { writeConsoleToLog } from './observability/json-console';
export { log, logResponse, silenceLog } from './observability/log';
export {
  countBreachCheck,
  countLimitHit,
  countLostEvent,
  countNotice,
  countPage,
  countPolicyViolation,
  countRefusedCallback,
  countResponse,
  countSignIn,
  observePool,
  readMetrics,
  recordBacklog,
  recordConfigFile,
  recordProviderCall,
  startEmailTimer,
  startMetrics,
} from './observability/metrics';
export {
  type RequestFacts,
  getOwnTraceHeaders,
  getRequestFacts,
  getTraceHeaders,
  readRequestId,
  runOutsideOfRequest,
  runWithRequest,
  setRequestAccount,
} from './observability/request-context';
export { UNKNOWN_ROUTE, getRouteName } from './observability/route-name';
export { sentryFile } from './observability/sentry-file';
export { isShuttingDown, shutDownOnSignal } from './observability/shutdown';
export { processWide } from './process-wide';
export { readJson, readText } from './read-response';
export {
  type FileProblem,
  type FileState,
  type ParsedFile,
  type ReloadingFile,
  createReloadingFile,
} from './reload-file';
export { Semaphore } from './semaphore';
export { shareCheck } from './share-check';
export { sleepUntil } from './sleep-until';
