export {
  isSealedLink,
  readConfirmationLink,
  redeemOnce,
  sealConfirmationLink,
  DISAVOWAL_MS,
  type SignInRef,
  readDeletionLink,
  readDisavowalLink,
  readResetLink,
  sealDeletionLink,
  sealDisavowalLink,
  sealResetLink,
  toCancelProblem,
  toLinkState,
} from './links';
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
