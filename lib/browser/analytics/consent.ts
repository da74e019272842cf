import { readCookie } from '@/lib/browser/cookies';

/**
 * The learner's answer to analytics and campaign cookies. The platform requests consent and stores it in the cookie
 * `marketing-consent` on the shared domain: `true` or `1` is consent, `false` or `0` withdraws it. A browser that sends
 * `Sec-GPC: 1` refuses, whatever the cookie says (Global Privacy Control, section 3.2).
 * @returns undefined without an answer, which is no consent
 */
export function getMarketingConsent(): boolean | undefined {
  const answer = readCookie('marketingConsent');
  if (navigator.globalPrivacyControl || answer === 'false' || answer === '0') return false;
  return answer === 'true' || answer === '1' || undefined;
}
