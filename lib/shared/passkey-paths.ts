/** API routes of passkeys. Apart from `apiPaths`, which every page loads as a whole. */
export const passkeyPaths = {
  signInOptions: '/api/passkeys/sign-in-options',
  signIn: '/api/passkeys/sign-in',
  proofOptions: '/api/passkeys/proof-options',
  prove: '/api/passkeys/prove',
  creationOptions: '/api/passkeys/creation-options',
  add: '/api/passkeys/add',
  rename: '/api/passkeys/rename',
  remove: '/api/passkeys/remove',
} as const;
