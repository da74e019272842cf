export { beginApp, confirmCodes, confirmCodesOfSignIn, confirmNewApp, renewRecoveryCodes } from './enrolment';
export { describeSecondFactor, readSecondFactor } from './factors';
export { reportUnfinishedSignIns } from './notify';
export { removeApp, removeSuspectFactors, turnSecondFactorOff } from './removal';
export {
  factorCodeField,
  factorRoute,
  factorFields,
  requireSetUpSubject,
  signInField,
  toTypedCode,
  completeWaitingSignIn,
  proveSecondFactor,
  requireSignInToSetUp,
  requireWaitingSignIn,
  respondToSignIn,
  stepUp,
  type WaitingSignIn,
} from './sign-in';
export {
  advanceFactorResets,
  beginReset,
  inspectResetLink,
  keepSecondFactor,
  keepSecondFactorByLink,
  readResetCode,
  requestResetCode,
} from './reset';
export { findKeyProblem, getKeyIds } from './totp';
