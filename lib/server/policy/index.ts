export {
  getAccessLevel,
  type Account,
  type AccountFacts,
  type AccountMethod,
  PROVED_ADDRESS_CLAIM,
  type StoredAccount,
  getProvedEmail,
  hasMethod,
  isUnprovedRegistration,
  toAccountFacts,
  type ClaimsEdit,
  editClaims,
  isStorable,
  LEGACY_CLAIM,
  getLegacyStatus,
} from './account';
export { boundAccount } from './profile';
export { type Refused, toProblem } from './refusal';
export {
  GRACE_DAYS,
  REMINDER_HOURS,
  decideDeletion,
  getEffect,
  RESET_HOURS,
  WARNING_HOURS,
  type ResetFacts,
  type ResetRequestDecision,
  decideReset,
  decideResetRequest,
} from './scheduled';
export {
  type ConfigFile,
  formatFileProblem,
  readAllConfigFiles,
  readConfigFiles,
  registerConfigFiles,
  getDirectory,
  getEnterprise,
  getPartner,
  getPartnerOfProvider,
} from './directory';
export {
  FACTORS,
  type Factor,
  type AttemptFacts,
  decideAttempt,
  isSecondFactorOffered,
  type OrganizationRule,
  findRequiringOrganization,
  getSecondFactorUse,
  isRequiredNow,
} from './second-factor';
export {
  type MailboxDecision,
  type MailboxProof,
  decideEmailedAccess,
  decideMailboxProof,
  isReplaceable,
} from './mailbox';
export {
  type EmailHolder,
  type OwnershipDecision,
  decideMethodsToCut,
  decideOwnership,
  decideRepair,
  hasMailbox,
  isOfOtherEmail,
  toEmailWithoutMailbox,
} from './ownership';
export { type GuardFacts, decideGuard } from './proof-of-work';
export { getCredentialEnd } from './credentials';
export { decideDisavowal, type DisavowalFacts, type IsSuspect, suspectAdditions } from './disavowal';
export { decideAddition, decideAssertion, decideVerification } from './passkey-use';
export { getProviderAuthorization, listMethods, listOrganizationRules } from './provider-authorization';
export {
  type SecondFactorStep,
  type SignInDecision,
  type SignInEvidence,
  decideSignIn,
  getAssurance,
  getSecondFactorStep,
  getShownFactor,
  isSecondFactorStep,
  decideOpening,
  type OpeningDecision,
  type OpeningFacts,
} from './sign-in';
