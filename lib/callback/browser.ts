import { takeFromAddress } from '@/lib/address';
import { pendingRedirect } from '@/lib/auth/pending-redirect';
import { callbackPolicyOf, type PublicEnv } from '@/lib/config/public-env';
import { readCookie, removeCookie, writeCookie } from '@/lib/cookies/browser';
import { isSessionPageName, queryNames, sessionPages } from '@/lib/paths';
import { storage } from '@/lib/storage';
import { judgeBounce } from './bounces';
import { resolveCallback } from './rules';
import { decideCallbackStart } from './start';

const RETURN_TO_KEY = 'return-to';

/** Keeps the callback of this visit and takes `redirect_uri` out of the address (specification, section 4). */
export function startCallback(env: PublicEnv): void {
  const taken = takeFromAddress(queryNames.redirectUri, queryNames.returnTo);
  const asked = (name: string) => (taken[name]?.length ? taken[name] : leftBehind(name));
  const redirectUris = asked(queryNames.redirectUri);
  keepReturnTo(asked(queryNames.returnTo)[0], redirectUris.length > 0);
  const start = decideCallbackStart(
    {
      redirectUris,
      // Back from a provider nobody has arrived anew.
      referrer: arrivedByNavigation() && pendingRedirect() === null ? document.referrer : null,
      stored: readCookie('callbackUrl'),
      purchaseMarkers: env.purchaseMarkers,
    },
    callbackPolicyOf(env),
  );
  if (start.store !== null) writeCookie('callbackUrl', start.store, env.mainDomain);
  if (start.directPurchase) writeCookie('directPurchase', '1', env.mainDomain);
}

/** Where this visit goes after sign-in: an own page asked for by name, else the callback, judged once more. */
export function currentDestination(env: PublicEnv): string {
  const returnTo = storage('sessionStorage').getItem(RETURN_TO_KEY);
  if (isSessionPageName(returnTo)) return sessionPages[returnTo];
  return resolveCallback(readCookie('callbackUrl'), callbackPolicyOf(env));
}

/**
 * Hands over a learner who was found to be signed in already, unless that has become a loop.
 * @returns whether the hand-over is under way
 */
export function goToCallbackUnlessLooping(env: PublicEnv): boolean {
  const bounce = judgeBounce(readCookie('callbackBounces'), Date.now());
  if (bounce.looping) return false;
  writeCookie('callbackBounces', bounce.next, env.mainDomain);
  goToCallback(env);
  return true;
}

/** Hands a signed-in learner over to where they wanted to be. The sign-in page does not stay in the history. */
export function goToCallback(env: PublicEnv): void {
  const destination = currentDestination(env);
  storage('sessionStorage').removeItem(RETURN_TO_KEY);
  removeCookie('callbackUrl', env.mainDomain);
  window.location.replace(destination);
}

function keepReturnTo(name: string | undefined, replaced: boolean): void {
  const store = storage('sessionStorage');
  if (isSessionPageName(name)) store.setItem(RETURN_TO_KEY, name);
  else if (replaced) store.removeItem(RETURN_TO_KEY);
}

/** Whoever followed a link before its page was ready left what that page had been asked for in its address. */
function leftBehind(name: string): string[] {
  if (!arrivedByNavigation() || !document.referrer.startsWith(`${window.location.origin}/`)) return [];
  return new URL(document.referrer).searchParams.getAll(name);
}

/** A reload or a step back repeats the referrer of an earlier arrival, which must not win over what is kept. */
function arrivedByNavigation(): boolean {
  const [entry] = performance.getEntriesByType('navigation');
  return entry !== undefined && 'type' in entry && entry.type === 'navigate';
}
