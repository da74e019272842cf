export { getAccessLevel } from './access-level';
export {
  type Account,
  type AccountFacts,
  PROVED_ADDRESS_CLAIM,
  type StoredAccount,
  getProvedEmail,
  hasMethod,
  toAccountFacts,
} from './account';
export { type ClaimsEdit, editClaims, isStorable } from './claims';
export { GRACE_DAYS, decideDeletion } from './deletion';
export { type DeviceFacts, decideDevice } from './device';
export { type ConfigFile, formatFileProblem, readConfigFiles } from './directory/config-files';
export type { Directory } from './directory/file';
export { getDirectory, getEnterprise, getPartner, getPartnerOfProvider } from './directory';
export {
  RESET_HOURS,
  type ResetFacts,
  type ResetRequestDecision,
  decideReset,
  decideResetRequest,
} from './factor-reset';
export { FACTORS, type Factor } from './factors';
export { LEGACY_CLAIM, getLegacyStatus } from './legacy';
export {
  type MailboxDecision,
  type MailboxProof,
  decideEmailedAccess,
  decideMailboxProof,
  isReplaceable,
} from './mailbox';
export { type OpeningDecision, type OpeningFacts, decideOpening } from './opening';
export { decideAddition, decideAssertion, decideVerification } from './passkey-use';
export {
  canSignInWith,
  countsAsTwoFactors,
  getProviderAuthorization,
  listOrganizationRules,
} from './provider-authorization';
export { type AttemptFacts, decideAttempt } from './second-factor-code';
export { isSecondFactorOffered, requireOffered } from './second-factor-offered';
export {
  type OrganizationRule,
  findRequiringOrganization,
  getSecondFactorUse,
  isRequiredNow,
} from './second-factor-use';
export {
  type SecondFactorStep,
  type SignInDecision,
  type SignInEvidence,
  decideSignIn,
  getSecondFactorStep,
  isSecondFactorStep,
} from './sign-in';
