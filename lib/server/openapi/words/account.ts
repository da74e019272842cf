import { PASSWORD_REFUSALS } from '@/lib/account/password-refusals';
import { TOKEN_PROBLEMS, type Words } from './types';

const confirmation = 'Sets `auth-email-confirmation` and `email-confirmation-token`.';
const codeProblems = ['code-missing', 'code-wrong', 'code-expired', 'code-locked', 'code-used'] as const;
const services = ['mail-unavailable', 'provider-unavailable'] as const;

export const accountWords: Record<string, Words> = {
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
    summary: 'Mails a code to somebody who gave the right password, but has not confirmed their address',
    answer: 'mailSent',
    cookies: confirmation,
    problems: [...TOKEN_PROBLEMS, ...services],
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
    summary: 'Which organisation signs in the owner of a work address, and by which provider',
    answer: 'enterprise',
    problems: ['invalid-enterprise-sign-in-email', 'invalid-enterprise-domain', 'invalid-sso-method'],
  },
  '/api/account/password': {
    id: 'changePassword',
    summary: 'Sets a new password for someone who has just given the present one',
    description:
      'Takes an ID token of a password sign-in of the last 5 minutes. All sessions end but the one it opens.',
    answer: 'nothing',
    cookies: 'Sets the cookies of a new session.',
    problems: [
      ...TOKEN_PROBLEMS,
      ...(['email-not-verified', 'recent-login-required', ...PASSWORD_REFUSALS, 'provider-unavailable'] as const),
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
