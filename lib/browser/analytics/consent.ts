import { readCookie } from '@/lib/browser/cookies';

/**
 * Whether the learner consented to analytics and campaign cookies. The platform requests consent and stores it in the
 * cookie `marketing-consent` on the shared domain: `true` or `1` is consent; any other value, or no cookie, is not.
 */
export function hasMarketingConsent(): boolean {
  return isAnswer('true', '1');
}

/** Whether the learner has refused consent, which also withdraws an earlier consent. */
export function isConsentRefused(): boolean {
  return isAnswer('false', '0');
}

// One function for both: every byte of it is in the first load.
function isAnswer(...answers: string[]): boolean {
  return answers.includes(readCookie('marketingConsent') ?? '');
}
