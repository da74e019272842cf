import type { PublicEnv } from '@/lib/config/public-env';
import { readCookie, removeCookie, writeCookie, type BrowserCookieKey } from '@/lib/cookies/browser';
import { cookieTable } from '@/lib/cookies/table';
import { storage } from '@/lib/storage';

/** Whether the learner has said that others use this computer: nothing then outlives the browser's own session. */
export function isSharedComputer(): boolean {
  return readCookie('sharedComputer') === '1';
}

export function setSharedComputer(env: PublicEnv, shared: boolean): void {
  if (shared) writeCookie('sharedComputer', '1', env.mainDomain);
  else removeCookie('sharedComputer', env.mainDomain);
}

/** What the platform asks after sign-out stays; everything else of ours is readable and goes. */
const STAYS: readonly string[] = ['loggedIn', 'marketingConsent'] satisfies BrowserCookieKey[];
const PROVIDER_DATABASE = 'firebaseLocalStorageDb';

const keepers = new Set<() => void>();

/** For whoever keeps something in this browser and would write it again after it has been cleared. */
export function onClearDevice(stopKeeping: () => void): void {
  keepers.add(stopKeeping);
}

/** Leaves nothing of the learner in this browser; after a sign-out. */
export function clearDevice(env: PublicEnv): void {
  keepers.forEach((stopKeeping) => stopKeeping());
  for (const [key, { httpOnly }] of Object.entries(cookieTable)) {
    if (!httpOnly && !STAYS.includes(key)) removeCookie(key as BrowserCookieKey, env.mainDomain);
  }
  storage('localStorage').clear();
  storage('sessionStorage').clear();
  try {
    window.indexedDB.deleteDatabase(PROVIDER_DATABASE);
  } catch {
    // Where databases are blocked, nothing was ever kept in one.
  }
}
