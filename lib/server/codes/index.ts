export { isSealedLink, readConfirmationLink, redeemOnce, sealConfirmationLink } from './links';
export {
  DISAVOWAL_MS,
  type SignInRef,
  readDeletionLink,
  readDisavowalLink,
  readResetLink,
  readSignInLink,
  sealDeletionLink,
  sealDisavowalLink,
  sealResetLink,
  sealSignInLink,
  toCancelProblem,
  toLinkState,
} from './notice-links';
export {
  CODE_TTL_SECONDS,
  type FlowPurpose,
  type IssuedCode,
  type ReadToken,
  assertUnused,
  createFlowId,
  invalidateCode,
  issueCode,
  readToken,
  redeemCode,
} from './one-time-codes';
export { seal, sealShort, unseal } from './token';
