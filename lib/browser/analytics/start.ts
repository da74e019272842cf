import Router from 'next/router';
import { onAuthEvent, onSignIn, type SignInEvent } from '@/lib/browser/auth/sign-in/events';
import { isSharedComputer } from '@/lib/browser/auth/sign-in/this-device';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { hasMarketingConsent, readCookie } from '@/lib/browser/cookies';
import { getAuthStatus, onAuthStatus } from '@/lib/browser/session/state';
import { onClearStorage, storage } from '@/lib/browser/storage';
import { whenIdle } from '@/lib/browser/hooks';
import { MAX_TEXT_LENGTH, redactAddress, redactText } from '@/lib/shared/redaction/redact';
import { Analytics } from './analytics';
import { campaignAttributes, isPrivacyControlOn, readCampaign } from './campaign';

const RECORDED_SIGN_OUT_KEY = 'sign-out-recorded';

let isStarted = false;

type Service = NonNullable<PublicEnv['mixpanel']>;

/**
 * Records page views, sign-ins and auth events of signed-in learners. It is loaded once the page is usable, if
 * analytics is configured and the learner consents. Repeated calls do nothing.
 */
export function startAnalytics(service: Service, brandName: string): void {
  // Do not even load the library.
  if (isStarted || isPrivacyControlOn()) return;
  isStarted = true;
  // The library stores the learner's identity in this browser, which is not allowed on a shared computer.
  const mayRecord = (email: string) =>
    hasMarketingConsent() && !isSharedComputer() && !isFilteredAccount(email, service.testMailbox);
  const plugin = import('./mixpanel').then(({ startMixpanel }) => startMixpanel(service, brandName));
  const analytics = new Analytics(plugin, mayRecord);
  recordPageViews(analytics);
  onSignIn(({ user, method, mode }) => {
    void introduce(analytics, toAnalyticsUser(user, method));
    void analytics.track('signIn', { provider: providerName(method), mode }, { leaving: true });
  });
  recordAuthEvents(analytics);
  onClearStorage(() => void analytics.withdraw());
}

/** Records a page view once the learner is identified on the first page, and for each in-app navigation. */
function recordPageViews(analytics: Analytics): void {
  const record = () => void analytics.page((email) => pageView(window, email, currentCampaign()));
  let last: { uid: string; email: string | null } | null = null;
  const follow = () => {
    const status = getAuthStatus();
    const session = status.status === 'authenticated' ? status.session : null;
    const before = last;
    last = session;
    if (session === null) return;
    if (session.uid !== before?.uid) void introduce(analytics, session).then(record);
    // The email was changed. The new one becomes another name of the same learner.
    else if (session.email !== null && session.email !== before.email)
      void analytics.alias(session.email).then(() => introduce(analytics, session));
  };
  onAuthStatus(follow);
  follow();
  let address = window.location.href;
  Router.events.on('routeChangeComplete', () => {
    // A page that reloads its data keeps its URL, so that is no page view.
    if (window.location.href === address) return;
    address = window.location.href;
    // The title is updated shortly after the router event.
    whenIdle(record);
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
 * Whether a session's sign-out has not been recorded on this device. It is recorded only once (docs/product.md#states).
 */
function isFirstSignOut(sessionId: string): boolean {
  const store = storage('localStorage');
  if (store.getItem(RECORDED_SIGN_OUT_KEY) === sessionId) return false;
  store.setItem(RECORDED_SIGN_OUT_KEY, sessionId);
  return true;
}

const added: RegExp[] = [];

/** Excludes more accounts from analytics from now on. @param patterns matched against the email address */
export function addFilteredAccounts(...patterns: RegExp[]): void {
  added.push(...patterns);
}

/**
 * Whether an account is excluded from analytics (docs/product.md#validation): an account without an email address, or a
 * test account.
 * @param testMailbox internal mailbox whose plus-addressed forms (`name+anything@domain`) are test accounts
 */
export function isFilteredAccount(email: string | null | undefined, testMailbox: string): boolean {
  const address = email?.trim().toLowerCase();
  if (!address) return true;
  const [name = '', domain = ''] = testMailbox.toLowerCase().split('@');
  if (address.startsWith(`${name}+`) && address.endsWith(`@${domain}`)) return true;
  // Create a new expression each time, because a global or sticky expression keeps its `lastIndex`.
  return added.some(({ source, flags }) => new RegExp(source, flags.replace(/[gy]/g, '')).test(address));
}

/** Returns the stored campaign's attributes. */
function currentCampaign(): Record<string, string> {
  const campaign = readCampaign();
  return campaign ? campaignAttributes(campaign) : {};
}

/** Identifies the learner for all following events and sets their traits. */
async function introduce(analytics: Analytics, user: AnalyticsUser): Promise<void> {
  const { email, uid } = user;
  if (!email) return analytics.forget();
  const campaign = currentCampaign();
  const visit = {
    sessionId: readCookie('sessionId'),
    clickId: readCookie('clickId'),
    source: campaign.utm_source_latest,
  };
  // Start both in parallel, because the page may be about to unload.
  const identified = analytics.identify({ email, uid });
  const described = analytics.peopleSet({ ...getTraits(user, campaign), ...getUserProperties(user, visit) });
  await Promise.all([identified, described]);
}

/** Builds the analytics user of a sign-in. After a passkey sign-in, the identity provider's data is missing. */
function toAnalyticsUser(user: SignInEvent['user'], method: string): AnalyticsUser {
  if (!('providerData' in user)) {
    const { account, ...person } = user;
    if (!account) return { ...person, photoURL: null };
    const { photoURL, ...known } = account;
    return { ...person, photoURL, account: { providerId: method, ...known } };
  }
  const { uid, email, displayName, photoURL, providerData, metadata, isAnonymous } = user;
  const account = {
    providerId: method,
    providerIds: providerData.map(({ providerId }) => providerId),
    createdAt: metadata.creationTime,
    lastSignInAt: metadata.lastSignInTime,
    anonymous: isAnonymous,
  };
  return { uid, email, displayName, photoURL, account };
}

type Page = {
  document: { title: string };
  location: Pick<Location, 'href' | 'pathname' | 'search'>;
  innerWidth: number;
  innerHeight: number;
};

/**
 * Builds the redacted page-view payload (docs/product.md#analytics-and-error-reporting). The title omits the suffix ` |
 * {brand}`, because the brand belongs to the deployment or origin. No text of ours contains the separator.
 * @param page the window
 */
export function pageView(
  { document: { title }, location, innerWidth, innerHeight }: Page,
  email: string,
  campaign: Record<string, string>,
) {
  return {
    title: redactText(title.split(' | ', 1)[0] ?? '', MAX_TEXT_LENGTH.analytics),
    url: redactAddress(location.href, MAX_TEXT_LENGTH.analytics),
    path: redactAddress(location.pathname, MAX_TEXT_LENGTH.analytics),
    search: redactText(location.search, MAX_TEXT_LENGTH.analytics),
    width: innerWidth,
    height: innerHeight,
    event: 'Page View',
    email,
    ...campaign,
    v3: true,
  };
}

/** The subject of analytics: a signed-in learner, with the data available on this page. */
export type AnalyticsUser = {
  uid: string;
  email: string | null;
  displayName: string | null;
  photoURL: string | null;
  /** Only known right after a sign-in. */
  account?: {
    providerId: string;
    providerIds: string[];
    /** RFC 7231 dates, as the identity provider writes them. */
    createdAt: string | undefined;
    lastSignInAt: string | undefined;
    anonymous: boolean;
  };
};

/** Provider names used in analytics. Other providers keep their own id. */
const PROVIDERS: Record<string, string> = {
  password: 'credentials',
  'facebook.com': 'Facebook',
  'google.com': 'Google',
  'github.com': 'Github',
  'microsoft.com': 'Microsoft',
  'linkedin.com': 'Linkedin',
};

export function providerName(providerId: string): string {
  return PROVIDERS[providerId.replace(/^oidc\.(?=linkedin)/, '').replace(/^linkedin$/, 'linkedin.com')] ?? providerId;
}

/** Traits of an identified learner (docs/product.md#data). */
export function getTraits({ email, displayName }: AnalyticsUser, campaign: Record<string, string>) {
  return { email, distinct_id: email, name: displayName || email, ...campaign };
}

/** Additional data from the session's cookies. */
type Visit = { sessionId: string | undefined; clickId: string | undefined; source: string | undefined };

/** Builds a learner's user properties (docs/product.md#data), without unknown properties. */
export function getUserProperties(user: AnalyticsUser, visit: Visit): Record<string, unknown> {
  const { uid, email, displayName, photoURL, account } = user;
  const properties = {
    user_id: uid,
    session_id: visit.sessionId,
    click_id: visit.clickId,
    source: visit.source,
    provider_id: account && providerName(account.providerId),
    provider_ids: account?.providerIds.map(providerName),
    name: displayName || email,
    email,
    creation_time: account?.createdAt,
    last_sign_in_time: account?.lastSignInAt,
    photo_url: photoURL,
    is_anonymous: account?.anonymous,
  };
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined && value !== null));
}
