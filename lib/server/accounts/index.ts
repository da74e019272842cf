export { isLookup, tryService } from './breached-passwords';
export {
  changeName,
  unlinkMethod,
  changePassword,
  resetPasswordByLink,
  respondWithPasswordSet,
  respondWithReset,
  setFirstPassword,
} from './own-account';
export {
  awaitsPasskey,
  confirmEmail,
  beginConfirmation,
  readPendingRegistration,
  inspectEmailVerification,
  verifyEmailByLink,
} from './confirmation';
export { collectAccountData, exportAccountEvents, downloadAccountData, listAddresses } from './data';
export { countAccountRecords } from './data-tables';
export {
  advanceDeletions,
  deleteByOrder,
  finishDeletion,
  inspectDeletionLink,
  keepAccount,
  keepAccountBy,
  keepAccountByLink,
  requestDeletion,
} from './deletion/deletion';
export { orderDeletion, readDeletion } from './deletion/rows';
export { canReadEnds, type Differences, findDifferences, isOtherProject, reconcile } from './reconcile';
export {
  EMAIL_SENT,
  emailAndRespond,
  emailCodeAndRespond,
  emailRoute,
  RESEND_AFTER_SECONDS,
  getFlowToken,
  getFlowTokens,
  invalidateResets,
} from './email-request';
export {
  changeEmailByCode,
  changeEmailByLink,
  emailChangeJobs,
  inspectEmailChange,
  inspectEmailUndo,
  prepareEmailChange,
  undoEmailChange,
  useRecoveryEmail,
} from './email-change';
export { removeOwnRecoveryEmail, removeRecoveryEmail } from './recovery-email';
export { requestedEmailJobs, sendByOrder } from './email-queue';
export { HASH_ALGORITHMS, hashOptions } from './import/import-users';
export { importFile } from './import/import-file';
export { getEncoding } from './import/rows';
export { prepareSignIn, readProviderCode, signInByCode, signInByLink } from './emailed-sign-in';
export { isResetLinkOver } from './reset-link';
export { prepareReset, readPendingReset, resetPassword } from './recovery';
export { forgetNewAccount, keepNewAccount, readNewAccounts } from './new-account';
export { beginRegistration, prepareCode, prepareRegistration } from './registration';
export { checkSignIn, listUncheckedSignIns, disavowSignIn, inspectDisavowalLink } from './disavow';
