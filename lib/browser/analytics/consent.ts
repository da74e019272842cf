import { readCookie } from '@/lib/browser/cookies';

/**
 * Whether the learner consented to analytics and campaign cookies. The platform requests consent and stores it in the
 * cookie `marketing-consent` on the shared domain: `true` or `1` is consent; any other value, or no cookie, is not.
 */
export function hasMarketingConsent(): boolean {
  const consent = readCookie('marketingConsent');
  return consent === 'true' || consent === '1';
}

/** Whether the learner has refused consent, which also withdraws an earlier consent. */
export function isConsentRefused(): boolean {
  const consent = readCookie('marketingConsent');
  return consent === 'false' || consent === '0';
}
