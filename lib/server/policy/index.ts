export {
  getAccessLevel,
  type Account,
  type AccountFacts,
  type AccountMethod,
  PROVED_ADDRESS_CLAIM,
  type StoredAccount,
  getProvedEmail,
  hasMethod,
  toAccountFacts,
  type ClaimsEdit,
  editClaims,
  isStorable,
  LEGACY_CLAIM,
  getLegacyStatus,
} from './account';
export { boundAccount } from './profile';
export {
  EMAIL_UNDO_MS,
  decideEmailChange,
  decideEmailProof,
  decideEmailUndo,
  decideResetAccount,
  getOwnUntil,
  type EmailUse,
} from './email-change';
export { type Refused, toProblem } from './refusal';
export { type EnabledIdentities, DEFAULT_IDENTITIES, decideMethod, isEnabledAtOrigin } from './origin-methods';
export {
  GRACE_DAYS,
  REMINDER_HOURS,
  decideDeletion,
  getEffect,
  WARNING_HOURS,
  type ResetFacts,
  type ResetRequestDecision,
  decideReset,
  decideResetRequest,
} from './scheduled';
export {
  type ConfigFile,
  formatFileProblem,
  readConfigFiles,
  getDirectory,
  hasEnterprise,
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
  getRefusedProofCode,
  isAbandoned,
} from './mailbox';
export {
  type CutMethods,
  type EmailHolder,
  type OwnershipDecision,
  decideMethodsToCut,
  decideOwnership,
  decideRepair,
  listMethodsToRepair,
  hasMailbox,
  isOfOtherEmail,
  toEmailWithoutMailbox,
} from './ownership';
export { type GuardFacts, decideGuard } from './proof-of-work';
export { getCredentialEnd } from './credentials';
export { choosesForOwner } from './notice-language';
export { DISAVOWAL_MS, decideDisavowal, type DisavowalFacts, type IsSuspect, suspectAdditions } from './disavowal';
export { decideAddition, decideAssertion, decideVerification } from './passkey-use';
export { findOrganization } from './managing-organization';
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
export { decideRegistration } from './registration';
