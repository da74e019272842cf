import { FIRST_PASSWORD_REFUSALS, PASSWORD_REFUSALS } from '@/lib/shared/account/password-rules';
import {
  CODE_PROBLEMS,
  FACTOR_PROBLEMS,
  LINK_PROBLEMS,
  POLICY_PROBLEMS,
  PROVIDER_PROBLEMS,
  TOKEN_PROBLEMS,
  type OperationDocs,
} from '../response-schemas';

const confirmation =
  'Sets `auth-email-confirmation`, `email-confirmation-token` and `email-confirmation-token-{flow}`.';
const services = ['mail-unavailable', 'records-unavailable', 'provider-unavailable'] as const;

/** Of calls that need an ID token of a recent sign-in. */
const FRESH_PROOF_PROBLEMS = [
  ...TOKEN_PROBLEMS,
  'token-too-old',
  ...POLICY_PROBLEMS,
  ...FACTOR_PROBLEMS,
  ...PROVIDER_PROBLEMS,
  'not-found',
  'provider-unavailable',
] as const;

/** How a reset signs in. */
const AFTER_RESET =
  'The response signs the browser in by `customToken`. If it has `step` instead, that second factor is shown first (`POST /api/second-factor/sign-in`), and the response sets its cookie. With neither, for example where the origin has no password, the user signs in separately. The password is set in each case.';

/** Problems of a code that signs in. */
const CODE_SIGN_IN_PROBLEMS = [
  ...CODE_PROBLEMS,
  ...FACTOR_PROBLEMS,
  'provider-not-allowed',
  'records-unavailable',
  'provider-unavailable',
] as const;

export const accountDocs: Record<string, OperationDocs> = {
  '/api/registration': {
    id: 'register',
    summary: 'Emails the code that creates an account, and keeps what was typed in the browser',
    description:
      'The account begins when the code or the link of the email comes back. The response does not reveal whether the email was taken, unless `REVEAL_EXISTING_ACCOUNTS` is `true`. With `passkey` in place of `password`, the account has no password: 404 where no passkeys are offered.',
    response: 'codeSent',
    cookies: `${confirmation} Sets \`new-account-{flow}\`.`,
    problems: [...FIRST_PASSWORD_REFUSALS, 'email-taken', 'not-found', 'provider-not-allowed', ...services],
  },
  '/api/registration/resend': {
    id: 'resendConfirmation',
    summary: 'Emails another code for a pending registration of this browser',
    response: 'codeSent',
    cookies: `Reads \`email-confirmation-token\` and \`new-account-{flow}\`. ${confirmation} Sets \`new-account-{flow}\`.`,
    problems: ['code-missing', 'code-expired', 'code-used', ...services],
  },
  '/api/registration/confirm': {
    id: 'confirmEmail',
    summary: 'Verifies an email with the code that was sent to it; the code of a registration creates the account',
    response: 'customToken',
    cookies: 'Reads `email-confirmation-token` and `new-account-{flow}`; clears `new-account-{flow}`.',
    problems: [...CODE_SIGN_IN_PROBLEMS, 'email-taken', 'password-weak'],
  },
  '/api/email-confirmation': {
    id: 'requestConfirmation',
    summary: 'Emails a code to a user who signed in at the identity provider with an unverified email',
    response: 'codeSent',
    cookies: confirmation,
    problems: [...TOKEN_PROBLEMS, 'token-too-old', 'email-missing', ...PROVIDER_PROBLEMS, ...services],
  },
  '/api/password-reset': {
    id: 'requestPasswordReset',
    summary: 'Emails a reset code or other help; the response does not reveal which',
    response: 'codeSent',
    cookies: 'Sets `auth-password-reset` and `auth-password-reset-{flow}`.',
    problems: services,
  },
  '/api/password-reset/resend': {
    id: 'resendPasswordReset',
    summary: 'Emails another code for a pending reset of this browser',
    response: 'codeSent',
    cookies: 'Reads and sets `auth-password-reset` and `auth-password-reset-{flow}`.',
    problems: ['code-missing', 'code-expired', 'code-used', ...services],
  },
  '/api/password-reset/confirm': {
    id: 'confirmPasswordReset',
    summary: 'Sets a new password with the code from the email, ends all sessions of the account, and signs in',
    description: AFTER_RESET,
    response: 'passwordReset',
    cookies: 'Reads `auth-password-reset`; sets `password-update`, clears `legacy-user-status`.',
    problems: [...CODE_PROBLEMS, ...PASSWORD_REFUSALS, 'records-unavailable', 'provider-unavailable'],
  },
  '/api/actions/reset-password': {
    id: 'resetPasswordByLink',
    summary: 'Sets a new password with the code of an email link, ends all sessions of the account, and signs in',
    description: AFTER_RESET,
    response: 'passwordReset',
    cookies:
      'Sets `password-update`, clears `legacy-user-status`; the resets that this browser has open for the email are complete.',
    problems: [...LINK_PROBLEMS, 'user-disabled', ...PASSWORD_REFUSALS, 'records-unavailable', 'provider-unavailable'],
  },
  '/api/actions/verify-email': {
    id: 'verifyEmailByLink',
    summary: 'Verifies an email with the code of an email link',
    description:
      'In the browser that registered, nothing else is needed, and the response holds a custom token for its sign-in, unless a second factor comes first. Any other browser has to set a new password: the password of the account may be an attacker’s.',
    response: 'emailVerified',
    cookies:
      'Reads `email-confirmation-token` and `new-account-{flow}`; sets `registration-requires-sign-in`, clears `new-account-{flow}`.',
    problems: [
      ...LINK_PROBLEMS,
      'new-password-required',
      ...FIRST_PASSWORD_REFUSALS,
      'records-unavailable',
      'provider-unavailable',
    ],
  },
  '/api/actions/sign-in': {
    id: 'signInByLink',
    summary: 'Signs in with the code of an email link',
    response: 'customToken',
    problems: [
      ...LINK_PROBLEMS,
      'link-email-wrong',
      'user-disabled',
      'user-deleted',
      'provider-not-allowed',
      ...FACTOR_PROBLEMS,
      'records-unavailable',
      'provider-unavailable',
    ],
  },
  '/api/email-link': {
    id: 'requestEmailLink',
    summary: 'Emails a code and a link that sign in, or other help; the response does not reveal which',
    response: 'codeSent',
    cookies: 'Sets `sign-in-email` and `sign-in-code-{flow}`.',
    problems: ['provider-not-allowed', ...services],
  },
  '/api/email-link/confirm': {
    id: 'signInByEmailedCode',
    summary: 'Signs in with the code from the email',
    response: 'customToken',
    cookies: 'Reads `sign-in-code-{flow}`.',
    problems: CODE_SIGN_IN_PROBLEMS,
  },
  '/api/sign-in-help': {
    id: 'requestSignInHelp',
    summary: 'Emails the owner of an address how to sign in; the response reveals nothing',
    response: 'mailSent',
    problems: services,
  },
  '/api/enterprise/lookup': {
    id: 'findEnterprise',
    summary: 'Returns the organization and provider of a work email',
    response: 'enterprise',
    problems: [
      'invalid-enterprise-sign-in-email',
      'invalid-enterprise-domain',
      'invalid-sso-method',
      'provider-not-allowed',
      'provider-unavailable',
    ],
  },
  '/api/account/password': {
    id: 'changePassword',
    summary: 'Changes the password of the signed-in user, given the current one',
    description: 'Ends all sessions except the one it creates.',
    response: 'passwordSet',
    proof: 'session',
    cookies: 'Sets the cookies of a new session, unless there can be none.',
    problems: [
      'not-found',
      'recent-login-required',
      'second-factor-required',
      'password-wrong',
      ...PASSWORD_REFUSALS,
      'records-unavailable',
    ],
  },
  '/api/account/name': {
    id: 'changeName',
    summary: 'Changes the name of the signed-in user',
    description: 'Needs no recent authentication: a name gives no access.',
    response: 'nothing',
    proof: 'session',
    problems: ['not-found', 'recent-login-required', 'user-deleted', 'records-unavailable', 'provider-unavailable'],
  },
  '/api/account/first-password': {
    id: 'setFirstPassword',
    summary: 'Sets the first password of a legacy account that needs one before it gets a session',
    description: 'Needs an ID token of a sign-in within the last 5 minutes. Creates a session.',
    response: 'passwordSet',
    cookies: 'Sets the cookies of a new session, unless there can be none.',
    problems: [
      ...TOKEN_PROBLEMS,
      'token-too-old',
      'email-missing',
      ...PROVIDER_PROBLEMS,
      'recent-login-required',
      ...FACTOR_PROBLEMS,
      'records-unavailable',
      ...FIRST_PASSWORD_REFUSALS,
      'provider-unavailable',
    ],
  },
  '/api/account/email': {
    id: 'requestEmailChange',
    summary: 'Emails a code to a new address, or a recovery address, of the account',
    description:
      'Needs a sign-in within 5 minutes: of this session, or by an ID token in `token`. The account has at most one request: a later one ends an earlier one. Nothing changes before the code is entered. The former address gets a link that cancels the change, and undoes it for 7 days. With `use` `recovery`, the address becomes the recovery email of the account, which has at most one. The response does not reveal whether the address has an account. 409 `email-managed` if an organization manages the account and its email is to change, `email-of-organization` if one has the domain of the address, and `deletion-scheduled`. 404 with an upstream identity deployment.',
    response: 'mailSent',
    proof: 'session',
    cookies: 'Sets `email-change`.',
    problems: [
      ...FRESH_PROOF_PROBLEMS,
      'email-managed',
      'email-of-organization',
      'deletion-scheduled',
      'mail-unavailable',
      'records-unavailable',
    ],
  },
  '/api/account/email/confirm': {
    id: 'confirmEmailChange',
    summary: 'Changes the email of the account, or adds its recovery email, with the code that the new address has got',
    description:
      'Another email ends all sessions except the one it creates, and all tokens: the custom token signs this browser in at the identity provider again. A recovery email ends none. `email-taken` if another account has the address by now.',
    response: 'methodRemoved',
    proof: 'session',
    cookies: 'Reads and clears `email-change`. Sets the cookies of a new session.',
    problems: [...CODE_PROBLEMS, ...POLICY_PROBLEMS, 'email-taken', 'records-unavailable', 'provider-unavailable'],
  },
  '/api/actions/change-email': {
    id: 'changeEmailByLink',
    summary:
      'Changes the email of an account, or adds its recovery email, with the code of the link that the new address has got',
    description:
      'Needs a session of the account, because the owner of a mistyped address must not get the account. Another email ends all other sessions, like the code. 401 also for a session of another account.',
    response: 'methodRemoved',
    proof: 'session',
    cookies: 'Sets the cookies of a new session.',
    problems: [...LINK_PROBLEMS, ...POLICY_PROBLEMS, 'email-taken', 'provider-unavailable', 'records-unavailable'],
  },
  '/api/actions/undo-email-change': {
    id: 'undoEmailChange',
    summary:
      'Cancels a change of the email, restores the former one, or removes a recovery email, with the code of the link that the former address has got',
    description:
      'Needs no session, and creates none. A restoration ends all sessions, removes the password and what was added since, and cancels a deletion. It ends later changes, too. The removal of a recovery email also ends all sessions, and removes the password and what was added since.',
    response: 'emailChangeUndone',
    problems: [...LINK_PROBLEMS, 'not-found', 'email-taken', 'provider-unavailable', 'records-unavailable'],
  },
  '/api/account/recovery-email': {
    id: 'changeRecoveryEmail',
    summary: 'Removes the recovery email of the account, or makes it the email of the account',
    description:
      'Needs a sign-in within 5 minutes: of this session, or by an ID token in `token`. Both mailboxes are told of a removal, which is no error without a recovery email. `use` changes the email as with a code of its mailbox: it ends all sessions except the one it creates, and the former address can undo it for 7 days. 404 without a recovery email, and with an upstream identity deployment.',
    response: 'methodRemoved',
    proof: 'session',
    cookies: 'For `use`, sets the cookies of a new session.',
    problems: [
      ...FRESH_PROOF_PROBLEMS,
      'not-found',
      'email-managed',
      'email-of-organization',
      'deletion-scheduled',
      'code-expired',
      'email-taken',
      'records-unavailable',
    ],
  },
  '/api/account/unlink-method': {
    id: 'unlinkMethod',
    summary: 'Removes a sign-in method from the account of the signed-in user, never the last one',
    description:
      'Needs an ID token of a sign-in within the last 5 minutes. Ends all sessions except the one it creates, and all tokens: the custom token signs this browser in at the identity provider again. A method that the account does not have is no error; then nothing is ended or created.',
    response: 'methodRemoved',
    proof: 'session',
    cookies: 'Sets the cookies of a new session.',
    problems: [...FRESH_PROOF_PROBLEMS, 'last-method', 'records-unavailable'],
  },
  '/api/account/activity': {
    id: 'readActivity',
    summary: 'Up to 20 security events of the account, newest first, before a given one',
    description: 'Of the last 13 months. 404 with an upstream identity deployment.',
    response: 'activity',
    proof: 'session',
    problems: ['not-found', 'records-unavailable'],
  },
  '/api/account/end-sessions': {
    id: 'endSessions',
    summary: 'Ends one session of the account, or all but this one',
    description:
      'Needs a sign-in within 5 minutes: of this session, or by an ID token in `token`. A session that is over, or of another account, gets the same response. All but this one: every sign-in and token of the account is revoked, and this browser gets a new session; the custom token signs it in at the identity provider again. 404 with an upstream identity deployment.',
    response: 'methodRemoved',
    proof: 'session',
    cookies: 'For all but this one, sets the cookies of a new session.',
    problems: [...FRESH_PROOF_PROBLEMS, 'records-unavailable'],
  },
  '/api/account/check-sign-in': {
    id: 'checkSignIn',
    summary: 'Says whether a sign-in on a new browser was the own one',
    description:
      'For a sign-in that was emailed within 10 days, from a browser in which the account was used before it. With `isOwn` it is not asked about again; without, also within a minute after that, the response has the code by which this session undoes it within 15 minutes. That takes an ID token of a sign-in within the last 5 minutes, unless the session itself is that young. 404 for any other, and where the deployment keeps no records.',
    response: 'signInChecked',
    proof: 'session',
    problems: [...FRESH_PROOF_PROBLEMS, 'records-unavailable'],
  },
  '/api/account/data': {
    id: 'downloadAccountData',
    summary: 'Everything this product holds about the account, as a file for its owner',
    description:
      'Needs an ID token of a sign-in within the last 5 minutes. At most 10 times an hour for one account. 404 with an upstream identity deployment.',
    response: 'accountData',
    proof: 'session',
    problems: [...FRESH_PROOF_PROBLEMS, 'records-unavailable'],
  },
  '/api/account/delete': {
    id: 'requestDeletion',
    summary: 'Schedules the deletion of the account in 7 days, and ends all its other sessions',
    description:
      'Needs an ID token of a sign-in within the last 5 minutes. Emails the owner a link that cancels it. Repeated, it keeps the day. 404 with an upstream identity deployment.',
    response: 'deletionScheduled',
    proof: 'session',
    cookies:
      'Sets the cookies of a new session. If there can be none, clears those of the old one, and `customToken` is absent.',
    problems: [...FRESH_PROOF_PROBLEMS, 'records-unavailable'],
  },
  '/api/account/keep': {
    id: 'keepAccount',
    summary: 'Cancels the scheduled deletion of the account; without one, does nothing',
    response: 'nothing',
    proof: 'session',
    problems: ['action-code-expired', 'not-found', 'records-unavailable'],
  },
  '/api/actions/keep-account': {
    id: 'keepAccountByLink',
    summary: 'Cancels the scheduled deletion of an account with the code of an email link',
    description:
      'Needs no session, and creates none. Ends the sessions of before the request, where that is not done yet.',
    response: 'nothing',
    problems: [...LINK_PROBLEMS, 'not-found', 'provider-unavailable', 'records-unavailable'],
  },
  '/api/actions/keep-second-factor': {
    id: 'keepSecondFactorByLink',
    summary: 'Cancels the reset of a second factor with the code of an email link',
    description: 'Needs no session, and creates none.',
    response: 'nothing',
    problems: [...LINK_PROBLEMS, 'not-found', 'records-unavailable'],
  },
  '/api/actions/disavow-sign-in': {
    id: 'disavowSignIn',
    summary: 'Undoes a sign-in with the code of the email about it, or of an answer on /security',
    description:
      'Ends all sessions of the account, removes what was added in the browser of the sign-in, restores a proved email, and cancels a deletion requested since. The code of an email needs no session; that of an answer needs the session that has given it. Creates none. Repeated, it does nothing more. After the sign-ins of the account were revoked, or a second factor was turned on, the code of an email changes nothing: another link is emailed to the owner, which works for 15 minutes, and the response has `asksMailbox`.',
    response: 'signInDisavowed',
    cookies: 'Clears the session cookies of a browser whose session has ended.',
    problems: [...LINK_PROBLEMS, 'not-found', 'records-unavailable'],
  },
  '/api/account/sign-out-everywhere': {
    id: 'signOutEverywhere',
    summary: 'Ends every session of the account, this one included',
    response: 'signedOut',
    proof: 'session',
    cookies: 'Clears the session cookies.',
    problems: ['not-found'],
  },
};
