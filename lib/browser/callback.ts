import { getPendingRedirect } from '@/lib/browser/auth/pending';
import { getCallbackPolicy, type PublicEnv } from '@/lib/shared/config/public-env';
import type { ScheduledDeletion } from '@/lib/shared/account/security';
import { TWO_FACTORS, isSessionPageName, paths, queryNames, sessionPages } from '@/lib/shared/paths';
import { resolveCallback, decideCallbackStart } from '@/lib/shared/callback/rules';
import { readCookie, removeCookie, writeCookie } from './cookies';
import { storage } from './storage';

const tabStorage = storage('sessionStorage');
const RETURN_TO_KEY = 'return-to';
const OWN_KEY = 'callback';

/** The referrer is only valid for the document load, because an in-app navigation does not update `document.referrer`. */
let isReferrerUsed = false;

/**
 * Stores the callback of this visit and removes `redirect_uri` from the URL (docs/product.md#callbacks). It runs on every
 * page, and reads the referrer once per document.
 */
export function captureCallback(env: PublicEnv): void {
  const referrer = takeReferrer();
  const isFromProvider = getPendingRedirect() !== null;
  const ownPage = referrer?.startsWith(`${window.location.origin}/`) ? new URL(referrer) : null;
  // The visitor comes from another site, so this is a new visit, maybe of another learner.
  if (referrer !== null && !ownPage && !isFromProvider) forgetOwnCallback();
  const taken = takeFromAddress(queryNames.redirectUri, queryNames.returnTo, queryNames.acrValues);
  // If a learner follows a link before hydration, the referrer has the parameters of the previous page.
  const getParams = (name: string) => (taken[name]?.length ? taken[name] : (ownPage?.searchParams.getAll(name) ?? []));
  const redirectUris = getParams(queryNames.redirectUri);
  keepReturnTo(getParams(queryNames.returnTo)[0], redirectUris.length > 0);
  const start = decideCallbackStart(
    {
      redirectUris,
      referrer: isFromProvider ? null : referrer,
      stored: readCallback(),
      purchaseMarkers: env.purchaseMarkers,
    },
    getCallbackPolicy(env),
  );
  if (start.store !== null) {
    const own: OwnCallback = { url: start.store, acrValues: getParams(queryNames.acrValues)[0] };
    keepOwnCallback(own);
    claimCallback(env, own);
  }
  if (start.directPurchase) writeCookie('directPurchase', '1', env.mainDomain);
}

/** Returns the destination after sign-in: a page of this app requested by name, or else the callback, validated again. */
export function getDestination(env: PublicEnv): string {
  const returnTo = tabStorage.getItem(RETURN_TO_KEY);
  // If the learner is already on that page, the callback follows.
  if (isSessionPageName(returnTo) && sessionPages[returnTo] !== window.location.pathname) return sessionPages[returnTo];
  return resolveCallback(readCallback(), getCallbackPolicy(env));
}

/** Time for the mobile app to open before a page offers to open it again, in milliseconds. */
export const APP_TIMEOUT_MS = 3_000;

/** Loads the router at that moment, because no other callback needs it here. */
const offerApp = () =>
  void import('next/router').then(({ default: router }) => router.replace(paths.mobileAccountSelection));
let appTimer: ReturnType<typeof setTimeout> | undefined;

/**
 * Redirects a signed-in learner to the destination and replaces the sign-in page in the history. The learner can press
 * again before the destination answers, so the callback is forgotten only when the page is left.
 */
export function goToCallback(env: PublicEnv): void {
  const destination = getDestination(env);
  const isApp = destination.startsWith(env.mobileScheme);
  const removeCookies = () => {
    removeCookie('callbackUrl', env.mainDomain);
    removeCookie('acrValues', env.mainDomain);
  };
  // An app does not replace the page, which may stay open for days. Only this tab keeps the callback, to open the app again.
  if (isApp) {
    keepOwnCallback({ ...readOwnCallback(), url: destination });
    removeCookies();
  }
  const forget = () => {
    clearTimeout(appTimer);
    // The destination is a required step. The callback follows it.
    if (destination.startsWith(paths.signIn)) return tabStorage.removeItem(RETURN_TO_KEY);
    forgetOwnCallback();
    // After an app, the cookies may belong to another tab.
    if (!isApp) removeCookies();
  };
  // Listen once. The Back button may restore the page, and the learner may leave it for another callback.
  window.addEventListener('pagehide', forget, { once: true });
  window.location.replace(destination);
  clearTimeout(appTimer);
  // Browsers do not report whether an app has opened, so the page would stay busy forever. Navigate within the app, because
  // a page load would close the browser's question whether to open the mobile app.
  if (isApp) appTimer = setTimeout(offerApp, APP_TIMEOUT_MS);
}

/**
 * Continues after a sign-in. If the account is scheduled for deletion, a page about that comes before the callback.
 * @param signIn the response to the sign-in
 */
export function goOn(env: PublicEnv, { deletionAt }: ScheduledDeletion): void {
  if (deletionAt === undefined) goToCallback(env);
  else window.location.replace(paths.keepAccount);
}

/** The callback of this tab, with the assurance that the platform requests for it. */
type OwnCallback = { url: string; acrValues?: string | undefined };

/** Returns this tab's callback, or else the browser's. An emailed link opens a tab without a callback (docs/adr/0003). */
const readCallback = () => readOwnCallback()?.url ?? readCookie('callbackUrl');

const readOwnCallback = () => tabStorage.getJson(OWN_KEY) as OwnCallback | null;

const keepOwnCallback = (own: OwnCallback) => tabStorage.setItem(OWN_KEY, JSON.stringify(own));

/** Forgets this tab's callback. Call it when the learner continues, signs out, or enters from another site. */
export function forgetOwnCallback(): void {
  tabStorage.removeItem(OWN_KEY);
  tabStorage.removeItem(RETURN_TO_KEY);
}

/**
 * Writes this tab's callback and `acr_values` into the browser's cookies before a sign-in. The server decides by these
 * cookies whether one factor is enough.
 */
export function claimCallback(env: PublicEnv, own = readOwnCallback()): void {
  if (!own?.url) return;
  const { url, acrValues } = own;
  writeCookie('callbackUrl', url, env.mainDomain);
  if (acrValues === TWO_FACTORS) writeCookie('acrValues', acrValues, env.mainDomain);
  else removeCookie('acrValues', env.mainDomain);
}

function keepReturnTo(name: string | undefined, replaced: boolean): void {
  if (isSessionPageName(name)) tabStorage.setItem(RETURN_TO_KEY, name);
  else if (replaced) tabStorage.removeItem(RETURN_TO_KEY);
}

/**
 * Returns the referrer of this document on the first call, and only after a navigation. A reload or Back repeats an old
 * referrer.
 */
function takeReferrer(): string | null {
  if (isReferrerUsed) return null;
  isReferrerUsed = true;
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return entry?.type === 'navigate' ? document.referrer : null;
}

/**
 * Removes query parameters from the URL and the current history entry, without a navigation.
 * @param names parameters to remove
 * @returns their values, by name
 */
export function takeFromAddress(...names: readonly string[]): Record<string, string[]> {
  const url = new URL(window.location.href);
  const taken = Object.fromEntries(names.map((name) => [name, url.searchParams.getAll(name)]));
  if (!names.some((name) => url.searchParams.has(name))) return taken;
  names.forEach((name) => url.searchParams.delete(name));
  replaceAddress(url.pathname + url.search + url.hash);
  return taken;
}

/** Replaces the URL of the current history entry, without a navigation. @param address path, query and fragment */
export function replaceAddress(address: string): void {
  // The router keeps its own copy of the URL in the history state and restores it on back.
  const state = window.history.state as object | null;
  window.history.replaceState({ ...state, as: address, url: address }, '', address);
}
