import { PASSWORD_REFUSALS } from '@/lib/shared/account/password-refusals';
import { TOKEN_PROBLEMS, type OperationDocs } from './types';

const confirmation = 'Sets `auth-email-confirmation` and `email-confirmation-token`.';
const codeProblems = ['code-missing', 'code-wrong', 'code-expired', 'code-locked', 'code-used'] as const;
const services = ['mail-unavailable', 'provider-unavailable'] as const;

export const accountDocs: Record<string, OperationDocs> = {
  '/api/registration': {
    id: 'register',
    summary: 'Creates an unverified account and mails its code',
    description: 'The answer does not tell whether the address was free, unless `REVEAL_EXISTING_ACCOUNTS` is `true`.',
    answer: 'mailSent',
    cookies: confirmation,
    problems: [...PASSWORD_REFUSALS, 'email-taken', ...services],
  },
  '/api/registration/resend': {
    id: 'resendConfirmation',
    summary: 'Mails another code for the registration that this browser has under way',
    answer: 'mailSent',
    cookies: `Reads \`email-confirmation-token\`. ${confirmation}`,
    problems: ['code-missing', 'code-expired', ...services],
  },
  '/api/registration/confirm': {
    id: 'confirmEmail',
    summary: 'Confirms an address with the code from the mail',
    answer: 'customToken',
    cookies: 'Reads `email-confirmation-token`.',
    problems: [...codeProblems, 'provider-unavailable'],
  },
  '/api/email-confirmation': {
    id: 'requestConfirmation',
    summary: 'Emails a code to a person who signed in at the identity provider, but whose address is not verified',
    answer: 'mailSent',
    cookies: confirmation,
    problems: [
      ...TOKEN_PROBLEMS,
      ...([
        'token-too-old',
        'email-missing',
        'provider-not-allowed',
        'invalid-enterprise-domain',
        ...services,
      ] as const),
    ],
  },
  '/api/password-reset': {
    id: 'requestPasswordReset',
    summary: 'Mails a reset code, or what else helps; the answer does not tell which',
    answer: 'mailSent',
    cookies: 'Sets `auth-password-reset`.',
    problems: services,
  },
  '/api/password-reset/resend': {
    id: 'resendPasswordReset',
    summary: 'Mails another code for the reset that this browser has under way',
    answer: 'mailSent',
    cookies: 'Reads and sets `auth-password-reset`.',
    problems: ['code-missing', 'code-expired', ...services],
  },
  '/api/password-reset/confirm': {
    id: 'confirmPasswordReset',
    summary: 'Sets a new password with the code from the mail, and ends all sessions of the account',
    answer: 'nothing',
    cookies: 'Reads and takes away `auth-password-reset`; sets `password-update`.',
    problems: [...codeProblems, ...PASSWORD_REFUSALS, 'provider-unavailable'],
  },
  '/api/actions/reset-password': {
    id: 'resetPasswordByLink',
    summary: 'Sets a new password with the code of a mailed link, and ends all sessions of the account',
    answer: 'nothing',
    cookies: 'Sets `password-update`.',
    problems: ['action-code-expired', 'action-code-invalid', 'user-disabled', ...PASSWORD_REFUSALS, 'provider-unavailable'], // prettier-ignore
  },
  '/api/actions/verify-email': {
    id: 'verifyEmailByLink',
    summary: 'Confirms an address by a mailed link',
    description:
      'In the browser that registered the address it does just that. In any other one it needs a new password: whoever reads the mailbox does not know whose password the account has.',
    answer: 'nothing',
    cookies: 'Reads `email-confirmation-token`; sets `registration-requires-sign-in`.',
    problems: ['action-code-expired', 'action-code-invalid', 'new-password-required', ...PASSWORD_REFUSALS, 'provider-unavailable'], // prettier-ignore
  },
  '/api/actions/sign-in': {
    id: 'signInByLink',
    summary: 'Signs in with the code of a mailed link',
    answer: 'customToken',
    problems: ['action-code-expired', 'action-code-invalid', 'link-email-wrong', 'user-disabled', 'user-deleted', 'provider-unavailable'], // prettier-ignore
  },
  '/api/email-link': {
    id: 'requestEmailLink',
    summary: 'Mails a sign-in link, or what else helps; the answer does not tell which',
    answer: 'mailSent',
    cookies: 'Sets `sign-in-email`.',
    problems: services,
  },
  '/api/sign-in-help': {
    id: 'requestSignInHelp',
    summary: 'Mails the owner of an address how to sign in; the answer tells nobody else',
    answer: 'mailSent',
    problems: services,
  },
  '/api/enterprise/lookup': {
    id: 'findEnterprise',
    summary: 'Which organization signs in the owner of a work address, and by which provider',
    answer: 'enterprise',
    problems: ['invalid-enterprise-sign-in-email', 'invalid-enterprise-domain', 'invalid-sso-method'],
  },
  '/api/account/password': {
    id: 'changePassword',
    summary: 'Changes the password of who is signed in and gives the present one',
    description: 'All sessions end but the one it opens.',
    answer: 'nothing',
    proof: 'session',
    cookies: 'Sets the cookies of a new session.',
    problems: ['not-found', 'password-wrong', ...PASSWORD_REFUSALS],
  },
  '/api/account/first-password': {
    id: 'setFirstPassword',
    summary: 'Sets the first password of a legacy account that must do so before it gets a session',
    description: 'Takes an ID token of a sign-in of the last 5 minutes. Opens a session.',
    answer: 'nothing',
    cookies: 'Sets the cookies of a new session.',
    problems: [
      ...TOKEN_PROBLEMS,
      ...([
        'token-too-old',
        'email-missing',
        'recent-login-required',
        ...PASSWORD_REFUSALS,
        'provider-unavailable',
      ] as const),
    ],
  },
  '/api/account/sign-out-everywhere': {
    id: 'signOutEverywhere',
    summary: 'Ends every session of the account, this one included',
    answer: 'nothing',
    proof: 'session',
    cookies: 'Takes the cookies of the session away.',
    problems: ['not-found'],
  },
};
