/** Operations of firebase-admin, and methods of the provider's REST API that it does not cover. */
export type ProviderOperation =
  | 'createCustomToken'
  | 'createSessionCookie'
  | 'createUser'
  | 'deleteUser'
  | 'generateLink'
  | 'getUser'
  | 'getUserByEmail'
  | 'updateUser'
  | 'verifyIdToken'
  | 'verifySessionCookie'
  | 'accounts:lookup'
  | 'accounts:resetPassword'
  | 'accounts:signInWithCustomToken'
  | 'accounts:signInWithEmailLink'
  | 'accounts:signInWithPassword'
  | 'accounts:update'
  | 'getPasswordPolicy'
  /** A session call of the deployment that answers in the provider's place (`SESSION_BACKEND=upstream`). */
  | 'upstream';
