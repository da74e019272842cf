import {
  CODE_PROBLEMS,
  FACTOR_PROBLEMS,
  POLICY_PROBLEMS,
  TOKEN_PROBLEMS,
  type OperationDocs,
} from '../response-schemas';

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
    problems: ['not-found', 'provider-not-allowed', 'provider-unavailable'],
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
      ...FACTOR_PROBLEMS,
      'user-disabled',
      'token-expired',
      'token-revoked',
      ...POLICY_PROBLEMS,
      'sso-required',
      'provider-not-allowed',
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
    problems: ['recent-login-required', ...assertion],
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
      'recent-login-required',
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
    problems: ['passkey-unknown', 'recent-login-required', ...records],
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

const attempt = ['code-wrong', 'code-used', 'sign-in-expired', 'user-deleted', ...records] as const;
const resetRequest = ['sign-in-expired', 'other-method-required', 'email-missing', ...records] as const;

export const secondFactorDocs: Record<string, OperationDocs> = {
  '/api/second-factor/sign-in': {
    id: 'showSecondFactor',
    summary: 'Creates the session of a sign-in that has waited for its second factor',
    description:
      'A sign-in of an account with a second factor is answered with `second-factor-required` and a cookie. This call takes six digits of an authenticator app (`code`) or a recovery code, each once. Five wrong codes end the sign-in; after ten of an account, codes rest for 15 minutes, and passkeys go on.',
    response: 'secondFactorShown',
    cookies: 'Reads and deletes `__Host-pending-sign-in`. Sets those of `/api/create-user-session`.',
    problems: [...attempt, 'code-locked', 'user-disabled', 'token-expired', 'token-revoked', ...POLICY_PROBLEMS],
  },
  '/api/second-factor/reset-code': {
    id: 'requestFactorResetCode',
    summary: 'Emails the code that a reset of a lost second factor takes',
    description:
      'For the sign-in that waits in this browser, to the email of its account. A sign-in by email is refused with `other-method-required`: the mailbox alone resets nothing.',
    response: 'mailSent',
    cookies: 'Reads `__Host-pending-sign-in`. Sets `__Host-factor-reset`.',
    problems: [...resetRequest, 'mail-unavailable'],
  },
  '/api/second-factor/reset': {
    id: 'requestFactorReset',
    summary: 'Schedules the reset of a lost second factor in 72 hours',
    description:
      'Takes the emailed code. The owner gets an email at once, one after a day and one an hour before, each with a link that cancels the reset; a second factor that is shown cancels it, too. Then the second factor is off, and all sessions of the account end. While a reset runs, the call changes nothing and says when it comes. An account can begin three a day.',
    response: 'resetScheduled',
    cookies: 'Reads `__Host-pending-sign-in`. Reads and deletes `__Host-factor-reset`.',
    problems: [...resetRequest, ...CODE_PROBLEMS],
  },
  '/api/second-factor/cancel-reset': {
    id: 'cancelFactorReset',
    summary: "Cancels the reset of the signed-in user's second factor; without one, does nothing",
    response: 'nothing',
    proof: 'session',
    problems: ['not-found', 'recent-login-required', 'records-unavailable'],
  },
  '/api/second-factor/step-up': {
    id: 'stepUpSession',
    summary: 'Makes the live session one of two factors',
    description:
      'For a session that was opened without the second factor of its account, when a platform asks for both (`acr_values=aal2`). Takes what `/api/second-factor/sign-in` takes. The session keeps the time of its proof.',
    response: 'steppedUp',
    proof: 'session',
    cookies: 'Sets those of `/api/create-user-session`, except `__Host-known-browser`.',
    problems: [...attempt, 'token-expired', 'token-revoked', 'user-disabled', 'recent-login-required'],
  },
  '/api/second-factor/prove': {
    id: 'proveBySecondFactor',
    summary: 'Proves the signed-in user by both factors',
    description:
      '`token` is an ID token of the first factor, of a sign-in at most 5 minutes ago. The custom token gives an ID token that changes of the account accept for the rest of that time.',
    response: 'customToken',
    proof: 'session',
    problems: [...TOKEN_PROBLEMS, 'token-too-old', 'recent-login-required', ...attempt],
  },
  '/api/second-factor/add-app': {
    id: 'addAuthenticatorApp',
    summary: 'Begins an authenticator app of the signed-in user',
    description:
      'Needs a sign-in at most 5 minutes ago: that of the session, or of the ID token `token`; of both factors where the account has a second one. With `signIn: waiting`, no session: the sign-in that was answered with `second-factor-setup-required`, of an account that has none.',
    response: 'newApp',
    proof: 'session',
    problems: [...proof, 'factor-limit', 'user-deleted', 'sign-in-expired', 'user-disabled'],
  },
  '/api/second-factor/confirm-app': {
    id: 'confirmAuthenticatorApp',
    summary: 'Takes the first code of an authenticator app',
    description:
      'With the first app come ten recovery codes; a second one is on. `app` is the id of `/api/second-factor/add-app`: with it, a set-up that was replaced meanwhile is `factor-replaced`.',
    response: 'appConfirmed',
    proof: 'session',
    problems: [
      'recent-login-required',
      'code-wrong',
      'code-used',
      'code-expired',
      'factor-replaced',
      'user-deleted',
      'sign-in-expired',
      'user-disabled',
      ...records,
    ],
  },
  '/api/second-factor/recovery-codes': {
    id: 'createRecoveryCodes',
    summary: 'Makes new recovery codes for the signed-in user',
    description: 'Needs a proof as `/api/second-factor/add-app`. They are in force once one of them was typed back.',
    response: 'recoveryCodes',
    proof: 'session',
    problems: proof,
  },
  '/api/second-factor/confirm-codes': {
    id: 'confirmRecoveryCodes',
    summary: 'Puts the new recovery codes in force, and with the first app the second factor',
    description:
      'With the first app, all sessions of the account end, and this browser gets a new one. With `signIn: waiting`, the sign-in gets its session, and the response is that of `/api/second-factor/sign-in`.',
    response: 'codesConfirmed',
    proof: 'session',
    cookies: 'Sets those of `/api/create-user-session`.',
    problems: [
      'recent-login-required',
      'code-wrong',
      'code-expired',
      'user-deleted',
      'sign-in-expired',
      'user-disabled',
      ...records,
    ],
  },
  '/api/second-factor/remove-app': {
    id: 'removeAuthenticatorApp',
    summary: 'Removes an authenticator app of the signed-in user, and ends all their sessions',
    description:
      'Needs a proof as `/api/second-factor/add-app`. With the last app the second factor is off. This browser gets a new session.',
    response: 'methodRemoved',
    proof: 'session',
    cookies: 'Sets those of `/api/create-user-session`.',
    problems: [...proof, 'user-deleted'],
  },
};
