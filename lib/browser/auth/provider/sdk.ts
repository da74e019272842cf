/**
 * The parts of the identity provider's SDK that this app uses, as named exports, so that the rest is tree-shaken. Load
 * only with `import()`.
 */
export { initializeApp } from 'firebase/app';
export {
  EmailAuthProvider,
  OAuthProvider,
  SAMLAuthProvider,
  browserLocalPersistence,
  browserPopupRedirectResolver,
  browserSessionPersistence,
  checkActionCode,
  connectAuthEmulator,
  fetchSignInMethodsForEmail,
  getAdditionalUserInfo,
  getRedirectResult,
  indexedDBLocalPersistence,
  initializeAuth,
  linkWithCredential,
  linkWithPopup,
  linkWithRedirect,
  reauthenticateWithCredential,
  reauthenticateWithPopup,
  setPersistence,
  signInWithCustomToken,
  signInWithEmailAndPassword,
  signInWithPopup,
  signInWithRedirect,
  unlink,
} from 'firebase/auth';
