import type { PublicEnv } from '@/lib/config/public-env';
import { keepsCookies } from '@/lib/cookies/browser';
import { isEmbeddedBrowser } from '@/lib/embedded-browser';
import { apiPaths } from '@/lib/paths';
import { promiseTimeout } from '@/lib/promise-timeout';
import { storage } from '@/lib/storage';
import { clockSkew } from './clock';

export const CHECKS = ['cookies', 'storage', 'database', 'popups', 'browser', 'server', 'clock', 'provider'] as const;
export type CheckName = (typeof CHECKS)[number];
export type CheckResult = { name: CheckName; ok: boolean };

/** How long a service may take to answer, in milliseconds. */
const PATIENCE = 5_000;
const PROVIDER = 'https://identitytoolkit.googleapis.com';

/**
 * Looks at what sign-in needs of this browser and its network (craft: the self-check for support). Never throws.
 * Called while a button is pressed, as only then a popup may open.
 */
export async function checkBrowser(env: PublicEnv): Promise<CheckResult[]> {
  const popups = opensPopups();
  const [{ server, clock }, provider, database] = await Promise.all([askServer(), reachesProvider(env), hasDatabase()]);
  const found: Record<CheckName, boolean> = {
    cookies: keepsCookies(env.mainDomain),
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

/** The identity provider remembers people in IndexedDB. */
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
  return promiseTimeout(opening, PATIENCE).catch(() => false);
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
    const answer = await promiseTimeout(fetch(apiPaths.live, { cache: 'no-store' }), PATIENCE);
    // Nobody can tell: the clock is not blamed.
    const skew = clockSkew(answer.headers.get('date'), sent, Date.now()) ?? 0;
    return { server: answer.ok, clock: skew === 0 };
  } catch {
    return { server: false, clock: true };
  }
}

/** Whatever it answers, it was reached. */
async function reachesProvider({ firebase }: PublicEnv): Promise<boolean> {
  const home = firebase.emulatorUrl === null ? PROVIDER : `${firebase.emulatorUrl}/identitytoolkit.googleapis.com`;
  const question = `${home}/v1/projects?key=${encodeURIComponent(firebase.apiKey)}`;
  return promiseTimeout(fetch(question, { cache: 'no-store' }), PATIENCE).then(() => true, () => false); // prettier-ignore
}
