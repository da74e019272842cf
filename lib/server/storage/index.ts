export { consumeLimit, readWatched, recordHit, recordSoftHit, recordWatched, type Hit } from './rate-limits';
export { LIMITS, type LimitName, WATCHES, getLimit } from './rate-limits/table';
export {
  type SignInLanguage,
  readLanguage,
  storeSignInLanguage,
  syncAccountLanguage,
} from './records/account-language';
export {
  type RecordsChoice,
  chooseRecords,
  type Records,
  type Tx,
  type DatabaseFacts,
  inspectDatabase,
} from './records/engines';
export {
  PROOF_ID_LENGTH,
  announceDisabledAccount,
  announceUnusableSessions,
  forgetDisabledTold,
  lastCookieAt,
  readDisabledToldAt,
} from './records/client-sessions';
export {
  endAndMark,
  endRevokedInBackground,
  findEndInRecords,
  hasEndMark,
  isAnyEnded,
  markAllEnded,
  markEnded,
  wasEnded,
} from './records/ended';
export { RecordsError, describeRecordsError, isRecordsError } from './records/errors';
export {
  type NewEvent,
  addEvent,
  assertMayGrant,
  checkGrants,
  deleteAccountRow,
  deleteRecordsInBackground,
  exportEvents,
  hasAccountRecords,
  insertMethods,
  listEvents,
  readLastSignIn,
  recordEvent,
  recordRemovedMethod,
  updateMethods,
  writeAboutAccount,
  writeAboutKnownAccount,
} from './records/events';
export {
  getRecords,
  hasRecords,
  startRecords,
  probeRecords,
  recordFailedRecords,
  recordUsableRecords,
  getRecordsState,
  RECORDS_TIMEOUT_MS,
  queryInTime,
  transactInTime,
  withRecords,
  withRecordsInTime,
} from './records';
export {
  oidcArtifacts,
  oidcClientSessions,
  oidcLogouts,
  accounts,
  deletions,
  devices,
  events,
  notices,
  passkeys,
  sessionCookies,
  sessions,
  authenticatorApps,
  factorResets,
  pendingSignIns,
  recoveryCodes,
} from './records/schema';
export {
  type AccountPasskeys,
  type FoundPasskey,
  type NewPasskey,
  type StoredPasskey,
  ensureUserHandle,
  findOtherRpId,
  findPasskey,
  initializeVerification,
  insertPasskey,
  listPasskeys,
  recordPasskeyUse,
  removePasskey,
  removeSuspectPasskeys,
  renamePasskey,
  suspectPasskey,
} from './records/passkeys';
export {
  type NewPendingSignIn,
  type PendingSignIn,
  findPendingSignIn,
  findUnfinished,
  insertPendingSignIn,
  passPendingSignIn,
  reportUnfinished,
} from './records/pending-sign-ins';
export {
  readRememberedAt,
  rememberBrowser,
  type Ending,
  type SessionCookie,
  type SessionEnd,
  endRevokedSessions,
  endSessions,
  endWhere,
  type ListedSession,
  findSession,
  firstProof,
  hasAnyCookie,
  isProofEnded,
  listSessions,
} from './records/sessions';
export {
  type ClaimedEmail,
  claimDueEmail,
  claimOwnEmail,
  countDueEmails,
  deleteRequestedEmail,
  insertRequestedEmail,
  postponeRequestedEmail,
} from './records/requested-emails';
export { scheduleOnRecords, scheduleRetention } from './records/retention';
export {
  advanceDue,
  afterLease,
  afterSeconds,
  claimNext,
  countOverdue,
  drainByTarget,
  drainDue,
  isRow,
  now,
  postpone,
  readScheduled,
  removeScheduled,
  startScheduled,
} from './records/scheduled';
export { WEBHOOK_KINDS, type WebhookEvent, addWebhookEvent, onAnnouncement } from './records/webhook-events';
export { getStore, type SharedStore, createRedisClient, getRedisConnection } from './store';
