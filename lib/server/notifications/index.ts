export { type FlowContext, createResetLink, createSignInLink, getActionUrl } from './action-links';
export {
  getFlowContext,
  getSignInMethods,
  passwordSetCookies,
  signInLinkCookies,
  verifiedCookies,
  waitingCookies,
} from './email-context';
export { formatDevice } from './email/email-texts';
export {
  type EmailContext,
  type SignInMethod,
  assertMailServerReachable,
  getEmailContext,
  getOwnBrand,
  sendEmail,
} from './email';
export { getTransportOptions } from './email/transport';
export { getKnownBrowser, rememberBrowser } from './known-browser';
export type { SecondFactorNotice } from './outbox/kinds';
export { addNotice, countDueNotices } from './outbox/outbox';
export { decideRetry } from './outbox/retry';
export { sendDueNotices, sendDueWebhooks } from './outbox/send-due';
export { describeFailure } from './outbox/send-notice';
export { type NoticeBrand, toNoticeBrand } from './outbox/types';
export { onWake, wakeOutbox } from './outbox/wake';
export {
  type Deletion,
  cancelDeletion,
  deleteAccountWithNotices,
  insertDeletion,
  markSignedOut,
  orderDeletion,
  readDeletion,
  remindOfDeletion,
  startDeletion,
  toDeletion,
} from './scheduled/deletions';
export {
  type FactorReset,
  type ResetRequestState,
  cancelReset,
  emailAboutReset,
  readFactorReset,
  readResetRequest,
  readWarningSent,
  removeReset,
  requestReset,
  startReset,
  toFactorReset,
} from './scheduled/factor-resets';
export { WebhookError, isAccepted, postOnce, postWebhook, sendWebhook } from './webhooks/send';
export { SECRET_PREFIX } from './webhooks/sign';
