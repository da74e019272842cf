/**
 * What this app uses of the identity provider's SDK, by name, so that the rest of it is never sent. Loaded with
 * `import()` alone.
 */
export { initializeApp } from 'firebase/app';
export {
  EmailAuthProvider,
  OAuthProvider,
  SAMLAuthProvider,
  applyActionCode,
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
  signInWithEmailLink,
  signInWithPopup,
  signInWithRedirect,
  unlink,
} from 'firebase/auth';
