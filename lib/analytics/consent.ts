import { readCookie } from '@/lib/cookies/browser';

/**
 * Whether the learner agreed to analytics and campaign cookies. The platform asks and keeps the answer in the cookie
 * `marketing-consent` on the shared domain: `true` or `1` is consent, anything else, also nothing, is none.
 */
export function hasMarketingConsent(): boolean {
  const answer = readCookie('marketingConsent');
  return answer === 'true' || answer === '1';
}

/** Whether the learner has said no, which also takes back what an earlier yes had allowed. */
export function isConsentRefused(): boolean {
  const answer = readCookie('marketingConsent');
  return answer === 'false' || answer === '0';
}
