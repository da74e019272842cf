import Router from 'next/router';
import { onClearStorage } from '@/lib/browser/auth/provider/clear-storage';
import { onAuthEvent, onSignIn } from '@/lib/browser/auth/sign-in/events';
import { isSharedComputer } from '@/lib/browser/auth/sign-in/shared-computer';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { readCookie } from '@/lib/browser/cookies';
import { getAuthStatus, onAuthStatus } from '@/lib/browser/session/status';
import { storage } from '@/lib/browser/storage';
import { whenIdle } from '@/lib/browser/when-idle';
import { Analytics } from './analytics';
import { hasMarketingConsent } from './consent';
import { isFilteredAccount } from './filter';
import { currentCampaign, introduce, toAnalyticsUser } from './learner';
import { pageView } from './page-view';
import { isPrivacyControlOn } from './privacy-control';
import { providerName } from './user-properties';
import type { AnalyticsPlugin } from './plugin';

const RECORDED_SIGN_OUT_KEY = 'sign-out-recorded';

type Service = NonNullable<PublicEnv['mixpanel']>;

/**
 * Records signed-in learners' page views, sign-ins and auth events. Loaded once the page is usable, if analytics is
 * configured and the learner consents.
 */
export function startAnalytics(service: Service, brandName: string): void {
  // Its library is not even loaded.
  if (isPrivacyControlOn()) return;
  // The library stores the learner's identity in this browser, which is not allowed on a shared computer.
  const mayRecord = (email: string) =>
    hasMarketingConsent() && !isSharedComputer() && !isFilteredAccount(email, service.testMailbox);
  const analytics = new Analytics(loadPlugin(service, brandName), mayRecord);
  recordPageViews(analytics, brandName);
  recordSignIns(analytics);
  recordAuthEvents(analytics);
  onClearStorage(() => void analytics.withdraw());
}

async function loadPlugin(service: Service, brandName: string): Promise<AnalyticsPlugin> {
  const { startMixpanel } = await import('./mixpanel');
  return startMixpanel(service, brandName);
}

/** One page view once the learner is identified on the first page, and one for each in-app navigation. */
function recordPageViews(analytics: Analytics, brandName: string): void {
  const record = () => void analytics.page((email) => pageView(window, brandName, email, currentCampaign()));
  let lastUid: string | null = null;
  const follow = () => {
    const status = getAuthStatus();
    const session = status.status === 'authenticated' ? status.session : null;
    const isNew = session !== null && session.uid !== lastUid;
    lastUid = session?.uid ?? null;
    if (isNew) void introduce(analytics, session).then(record);
  };
  onAuthStatus(follow);
  follow();
  let address = window.location.href;
  Router.events.on('routeChangeComplete', () => {
    // A page that loads its data again stays at its address: that is no view.
    if (window.location.href === address) return;
    address = window.location.href;
    // The title is updated shortly after the router event.
    whenIdle(record);
  });
}

function recordSignIns(analytics: Analytics): void {
  onSignIn(({ user, method, mode }) => {
    void introduce(analytics, toAnalyticsUser(user, method));
    void analytics.track('signIn', { provider: providerName(method), mode }, { leaving: true });
  });
}

function recordAuthEvents(analytics: Analytics): void {
  // The cookie is already removed when the sign-out event is emitted.
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

/**
 * Whether a session's sign-out has not been recorded yet on this device: it is recorded only once
 * (docs/product.md#states).
 */
function isFirstSignOut(sessionId: string): boolean {
  const store = storage('localStorage');
  if (store.getItem(RECORDED_SIGN_OUT_KEY) === sessionId) return false;
  store.setItem(RECORDED_SIGN_OUT_KEY, sessionId);
  return true;
}
