import Router from 'next/router';
import { onAuthEvent, onEntry } from '@/lib/auth/events';
import { isSharedComputer, onClearDevice } from '@/lib/auth/shared-computer';
import type { PublicEnv } from '@/lib/config/public-env';
import { readCookie } from '@/lib/cookies/browser';
import { authStatus, onAuthStatus } from '@/lib/session/status';
import { whenIdle } from '@/lib/when-idle';
import { Analytics } from './analytics';
import { hasMarketingConsent } from './consent';
import { isFilteredAccount } from './filter';
import { currentCampaign, introduce, personOf } from './learner';
import { pageView } from './page-view';
import { providerName } from './person';
import type { AnalyticsPlugin } from './plugin';
import { isFirstSignOut } from './sign-out-once';

type Service = NonNullable<PublicEnv['mixpanel']>;

/**
 * Records what signed-in learners do here: page views, sign-in, the auth events. Loaded once the page is usable,
 * where analytics is configured and agreed to.
 */
export function startAnalytics(service: Service, brandName: string): void {
  // The library keeps whom it knows in this browser, which a shared computer must not.
  const mayRecord = (email: string) =>
    hasMarketingConsent() && !isSharedComputer() && !isFilteredAccount(email, service.testMailbox);
  const analytics = new Analytics(loadPlugin(service, brandName), mayRecord);
  recordPageViews(analytics, brandName);
  recordSignIns(analytics);
  recordAuthEvents(analytics);
  onClearDevice(() => void analytics.withdraw());
}

async function loadPlugin(service: Service, brandName: string): Promise<AnalyticsPlugin> {
  const { startMixpanel } = await import('./mixpanel');
  return startMixpanel(service, brandName);
}

/** One for the page a learner arrives at, once it is known who they are, and one for each page they go on to. */
function recordPageViews(analytics: Analytics, brandName: string): void {
  const record = () => void analytics.page((email) => pageView(window, brandName, email, currentCampaign()));
  let known: string | null = null;
  const follow = () => {
    const status = authStatus();
    const session = status.status === 'authenticated' ? status.session : null;
    const isNew = session !== null && session.uid !== known;
    known = session?.uid ?? null;
    if (isNew) void introduce(analytics, session).then(record);
  };
  onAuthStatus(follow);
  follow();
  // A page has its title a moment after the router says that it is there.
  Router.events.on('routeChangeComplete', () => whenIdle(record));
}

function recordSignIns(analytics: Analytics): void {
  onEntry(({ user, method, mode }) => {
    void introduce(analytics, personOf(user, method));
    void analytics.track('signIn', { provider: providerName(method), mode }, { leaving: true });
  });
}

function recordAuthEvents(analytics: Analytics): void {
  // The cookie is gone when the sign-out is told.
  let sessionId = readCookie('sessionId');
  onAuthStatus(() => {
    sessionId = readCookie('sessionId') ?? sessionId;
  });
  onAuthEvent((event) => {
    const isEnd = event === 'signOut' || event === 'userDeleted';
    if (event !== 'signOut' || isFirstSignOut(sessionId ?? '')) void analytics.track(event, {}, { leaving: isEnd });
    if (isEnd) analytics.forget();
  });
}
