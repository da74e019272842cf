export {
  type FlowContext,
  type LinkContext,
  getActionUrl,
  getFlowContext,
  getSignInMethods,
  passwordSetCookies,
  verifiedCookies,
  waitingCookies,
} from './email-context';
export { formatDevice } from './email/brand';
export {
  type EmailContext,
  type EmailRequest,
  type SignInMethod,
  assertMailServerReachable,
  getEmailContext,
  getOwnBrand,
  sendEmail,
  getTransportOptions,
  isUnanswered,
} from './email';
export { getBrowserId, getKnownBrowser, recordKnownBrowser } from './known-browser';
export {
  ALL_EMAIL_KINDS,
  EMAIL_KINDS,
  type ChangeEmail,
  type EmailChangeNotice,
  type PasskeyNotice,
  type SecondFactorNotice,
  type SupportChange,
} from './email/email-contents';
export {
  type NoticeEmail,
  addNotice,
  deleteNotices,
  readSent,
  tellOfRecoveryEmail,
  addUnsentNotice,
  isUnsent,
  countInAnHour,
  MAX_IN_AN_HOUR,
  toNoticeBrand,
  wakeOutbox,
} from './outbox/outbox';
export { describeFailure, emailJobs, webhookJobs } from './outbox/send-due';
export { sendChangeNotice, writeChangeNotice } from './outbox/change-notice';
export { defineCancelLink } from './scheduled/cancel-link';
export {
  type FactorReset,
  type ResetRequestState,
  cancelFactorReset,
  emailAboutReset,
  holdReset,
  readFactorReset,
  readResetRequest,
  readWarningSent,
  removeReset,
  requestFactorReset,
  startReset,
} from './scheduled/factor-resets';
export { WebhookError, isAccepted, postOnce, postWebhook, sendWebhook, SECRET_PREFIX } from './webhooks';
