export { addPasskey, createAdditionOptions, requireUpgradeProof } from './addition';
export {
  type AssetLink,
  buildAppleAppSiteAssociation,
  buildAssetLinks,
  buildPasskeyEndpoints,
  buildRelatedOrigins,
  findRpIdProblem,
  wellKnownRoute,
} from './relying-party';
export { createProofOptions, createSignInOptions, verifyAssertion, signInWithPasskey } from './assertion';
export { toPasskeyList, readSignal, removePasskey } from './credentials';
export { assertionBody, attestationBody } from './ceremony';
