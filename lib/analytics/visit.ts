import type { PublicEnv } from '@/lib/config/public-env';
import { whenIdle, whenSettled } from '@/lib/when-idle';
import { readCookie } from '@/lib/cookies/browser';
import { hasMarketingConsent, isConsentRefused } from './consent';

let started = false;

/**
 * Notes the campaign and starts analytics, each as far as the learner agrees. All of it is loaded once the page is
 * usable; what cannot be loaded is not missed.
 */
export function recordVisit({ mixpanel, brandName, mainDomain }: PublicEnv): void {
  // By then the address may be another one.
  const { search } = window.location;
  whenIdle(() => {
    if (search.includes('utm_') || isConsentRefused())
      load(async () => (await import('./campaign')).recordCampaign(search, mainDomain));
  });
  // Who is signed in already has no form to fill in.
  const isSignedIn = readCookie('loggedIn') === '1';
  (isSignedIn ? whenIdle : whenSettled)(() => {
    if (started || !mixpanel || !hasMarketingConsent()) return;
    started = true;
    load(async () => (await import('./start')).startAnalytics(mixpanel, brandName));
  });
}

function load(work: () => Promise<void>): void {
  work().catch((error: unknown) => console.warn('analytics:', error instanceof Error ? error.name : 'failed'));
}
