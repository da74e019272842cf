export { addPasskey, createAdditionOptions, requireUpgradeProof } from './addition';
export {
  type AssetLink,
  buildAppleAppSiteAssociation,
  buildAssetLinks,
  buildRelatedOrigins,
  findRpIdProblem,
  wellKnownRoute,
} from './relying-party';
export { createProofOptions, createSignInOptions, verifyAssertion, signInWithPasskey } from './assertion';
export { toPasskeyList, readSignal } from './list';
export { removePasskey } from './removal';
export { assertionBody, attestationBody } from './schemas';
