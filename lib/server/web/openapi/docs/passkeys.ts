import { TOKEN_PROBLEMS, type OperationDocs } from '../response-schemas';

const records = ['not-found', 'records-unavailable', 'provider-unavailable'] as const;
const assertion = [
  'passkey-unknown',
  'passkey-refused',
  'passkey-suspect',
  'passkey-challenge-expired',
  'user-deleted',
  ...records,
] as const;
const proof = [
  ...TOKEN_PROBLEMS,
  'token-too-old',
  'recent-login-required',
  'second-factor-required',
  ...records,
] as const;
const addition = ['email-not-verified', 'sso-required', ...records] as const;

export const passkeyDocs: Record<string, OperationDocs> = {
  '/api/passkeys/sign-in-options': {
    id: 'createPasskeySignInOptions',
    summary: 'Options to sign in with any passkey',
    description: 'The same for every caller, but for the challenge. Not found where no passkeys are offered.',
    response: 'passkeyRequest',
    problems: ['not-found'],
  },
  '/api/passkeys/sign-in': {
    id: 'signInWithPasskey',
    summary: 'Creates a session for the user whose passkey has signed the challenge',
    description:
      'A passkey that the browser created by itself, without user verification, is one factor until a second one was shown with it: an account with a second factor is answered with `second-factor-required` and the cookie of `/api/second-factor/sign-in`.',
    response: 'passkeySignIn',
    cookies: 'Sets those of `/api/create-user-session`.',
    problems: [
      ...assertion,
      'second-factor-required',
      'second-factor-setup-required',
      'user-disabled',
      'token-expired',
      'token-revoked',
      'email-missing',
      'email-not-verified',
      'sso-required',
      'recent-login-required',
      'legacy-reset-required',
      'legacy-sign-in-required',
    ],
  },
  '/api/passkeys/proof-options': {
    id: 'createPasskeyProofOptions',
    summary: 'Options with which the signed-in user shows one of their passkeys again',
    response: 'passkeyRequest',
    proof: 'session',
    problems: ['passkey-unknown', ...records],
  },
  '/api/passkeys/prove': {
    id: 'proveByPasskey',
    summary: 'Proves the signed-in user by a passkey',
    description: 'The custom token gives an ID token that changes of the account accept for 5 minutes.',
    response: 'customToken',
    proof: 'session',
    problems: assertion,
  },
  '/api/passkeys/creation-options': {
    id: 'createPasskeyOptions',
    summary: 'Options to create a passkey for the signed-in user',
    description:
      'Needs a sign-in at most 5 minutes ago: that of the session, or of the ID token `token`. `upgrade`: the browser creates it by itself, after a sign-in with a password.',
    response: 'passkeyCreation',
    proof: 'session',
    problems: [...proof, ...addition],
  },
  '/api/passkeys/add': {
    id: 'addPasskey',
    summary: 'Stores the passkey that an authenticator has created',
    response: 'passkeyAdded',
    proof: 'session',
    problems: [
      'passkey-refused',
      'passkey-challenge-expired',
      'passkey-exists',
      'passkey-limit',
      'user-deleted',
      ...addition,
    ],
  },
  '/api/passkeys/rename': {
    id: 'renamePasskey',
    summary: 'Names a passkey of the signed-in user',
    response: 'nothing',
    proof: 'session',
    problems: ['passkey-unknown', ...records],
  },
  '/api/passkeys/remove': {
    id: 'removePasskey',
    summary: 'Removes a passkey of the signed-in user, and ends all their sessions',
    description: 'Needs a proof as `/api/passkeys/creation-options`. This browser gets a new session.',
    response: 'passkeyRemoved',
    proof: 'session',
    cookies: 'Sets those of `/api/create-user-session`.',
    problems: [...proof, 'last-method', 'user-deleted'],
  },
};
