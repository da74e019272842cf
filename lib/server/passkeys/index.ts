export { addPasskey, createAdditionOptions } from './addition';
export {
  type AssetLink,
  buildAppleAppSiteAssociation,
  buildAssetLinks,
  buildPasskeyEndpoints,
  buildRelatedOrigins,
} from './app-links';
export { createProofOptions, createSignInOptions, verifyAssertion } from './assertion';
export { findRpIdProblem } from './check-config';
export { toPasskeyList } from './list';
export { removePasskey } from './removal';
export { assertionBody, attestationBody } from './schemas';
export { signInWithPasskey } from './sign-in';
export { readSignal } from './signal';
export { requireUpgradeProof } from './upgrade';
export { wellKnownRoute } from './well-known-route';
