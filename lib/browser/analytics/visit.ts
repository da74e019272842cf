import type { PublicEnv } from '@/lib/shared/config/public-env';
import { whenIdle, whenSettled } from '@/lib/browser/hooks';
import { hasMarketingConsent, isConsentRefused, readCookie } from '@/lib/browser/cookies';

let started = false;

/**
 * Records the campaign and starts analytics, each only with the learner's consent. Both are loaded once the page is
 * usable; load failures are harmless.
 */
export function recordVisit({ mixpanel, brandName, mainDomain }: PublicEnv): void {
  // Read it now: the URL may have changed by the time the callback runs.
  const { search } = window.location;
  whenIdle(() => {
    if (search.includes('utm_') || isConsentRefused())
      load(async () => (await import('./campaign')).recordCampaign(search, mainDomain));
  });
  // A signed-in user has no form to fill in, so there is no need to wait longer.
  const isSignedIn = readCookie('loggedIn') === '1';
  (isSignedIn ? whenIdle : whenSettled)(() => {
    if (started || !mixpanel || !hasMarketingConsent()) return;
    started = true;
    load(async () => (await import('./start')).startAnalytics(mixpanel, brandName));
  });
}

function load(work: () => Promise<void>): void {
  work().catch(({ name }: Error) => console.warn('analytics:', name));
}
