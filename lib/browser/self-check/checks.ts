import { getProviderUrl } from '@/lib/browser/auth/provider/call-provider';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { areCookiesEnabled } from '@/lib/browser/cookies';
import { isEmbeddedBrowser } from '@/lib/browser/embedded-browser';
import { apiPaths } from '@/lib/shared/api-paths';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { storage } from '@/lib/browser/storage';

export const CHECKS = ['cookies', 'storage', 'database', 'popups', 'browser', 'server', 'clock', 'provider'] as const;
type CheckName = (typeof CHECKS)[number];
export type CheckResult = { name: CheckName; ok: boolean };

/** Timeout of each check, in milliseconds. */
const CHECK_TIMEOUT_MS = 5_000;

/**
 * Checks the browser and network features that sign-in needs. It never throws. Call it from a click handler, because
 * browsers allow popups only there.
 */
export async function checkBrowser(env: PublicEnv): Promise<CheckResult[]> {
  const popups = opensPopups();
  const [{ server, clock }, provider, database] = await Promise.all([askServer(), reachesProvider(env), hasDatabase()]);
  const found: Record<CheckName, boolean> = {
    cookies: areCookiesEnabled(env.mainDomain),
    storage: keepsValues(),
    database,
    popups,
    browser: !isEmbeddedBrowser(navigator.userAgent),
    server,
    clock,
    provider,
  };
  return CHECKS.map((name) => ({ name, ok: found[name] }));
}

function keepsValues(): boolean {
  const store = storage('localStorage');
  store.setItem('self-check', '1');
  const kept = store.getItem('self-check') === '1';
  store.removeItem('self-check');
  return kept;
}

/** The identity provider stores its users in IndexedDB. */
function hasDatabase(): Promise<boolean> {
  const opening = new Promise<boolean>((resolve) => {
    try {
      const request = indexedDB.open('self-check');
      request.onerror = () => resolve(false);
      request.onsuccess = () => {
        request.result.close();
        indexedDB.deleteDatabase('self-check');
        resolve(true);
      };
    } catch {
      resolve(false);
    }
  });
  return promiseTimeout(opening, CHECK_TIMEOUT_MS).catch(() => false);
}

function opensPopups(): boolean {
  try {
    const popup = window.open('about:blank', 'self-check', 'popup,width=200,height=100');
    popup?.close();
    return popup !== null;
  } catch {
    return false;
  }
}

async function askServer(): Promise<{ server: boolean; clock: boolean }> {
  try {
    const sent = Date.now();
    const response = await promiseTimeout(fetch(apiPaths.live, { cache: 'no-store' }), CHECK_TIMEOUT_MS);
    // If the skew cannot be determined, the clock passes the check.
    const skew = clockSkew(response.headers.get('date'), sent, Date.now()) ?? 0;
    return { server: response.ok, clock: skew === 0 };
  } catch {
    return { server: false, clock: true };
  }
}

/** Any response proves that it is reachable. */
async function reachesProvider(env: PublicEnv): Promise<boolean> {
  return promiseTimeout(fetch(getProviderUrl(env, 'projects'), { cache: 'no-store' }), CHECK_TIMEOUT_MS).then(
    () => true,
    () => false,
  );
}

/** Maximum clock skew, in milliseconds. Beyond it, tokens are rejected as too old or from the future. */
const TOLERANCE = 60_000;

/**
 * Computes how much this device's clock is wrong.
 * @param date the server's `Date` header, in whole seconds
 * @param sent when the request was sent, by this clock
 * @param received when the response arrived, by this clock
 * @returns seconds, positive if this clock is ahead; 0 within the tolerance; null if it cannot be determined
 */
export function clockSkew(date: string | null, sent: number, received: number): number | null {
  const server = Date.parse(date ?? '');
  if (Number.isNaN(server)) return null;
  const skew = (sent + received) / 2 - server;
  return Math.abs(skew) <= TOLERANCE ? 0 : Math.round(skew / 1000);
}
