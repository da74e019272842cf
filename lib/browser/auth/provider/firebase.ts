import type { Auth } from 'firebase/auth';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { paths } from '@/lib/shared/paths';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { isSharedComputer } from '../sign-in/this-device';
import { getPendingRedirect } from '../pending';

let loading: Promise<Auth> | undefined;

/**
 * Loads the identity provider's SDK on first use. It is initialized without the popup and redirect resolver, because the
 * provider sign-in code passes that itself.
 */
export function loadAuth(env: PublicEnv): Promise<Auth> {
  loading ??= start(env).catch((error: unknown) => {
    // Do not cache a failed chunk load, so that the next call retries.
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Preloads the SDK and ignores failures. Code that needs it calls `loadAuth` again and gets the error. */
export function preloadAuth(env: PublicEnv): void {
  loadAuth(env).catch(() => undefined);
}

async function start({ firebase }: PublicEnv): Promise<Auth> {
  const [sdk] = await Promise.all([import('./sdk'), hideUnusableIndexedDb()]);
  const { apiKey, projectId, authDomain, emulatorUrl } = firebase;
  const auth = sdk.initializeAuth(sdk.initializeApp({ apiKey, projectId, authDomain }), {
    persistence: isSharedComputer()
      ? [sdk.browserSessionPersistence]
      : [sdk.indexedDBLocalPersistence, sdk.browserLocalPersistence],
    ...(needsResolver() && { popupRedirectResolver: sdk.browserPopupRedirectResolver }),
  });
  if (emulatorUrl) sdk.connectAuthEmulator(auth, emulatorUrl, { disableWarnings: true });
  return auth;
}

/**
 * Whether to initialize the SDK with its redirect resolver. Linking by redirect needs it on the page that starts the link
 * and on the page that the redirect returns to. All other pages load it when a provider is first selected.
 */
function needsResolver(): boolean {
  return getPendingRedirect()?.mode === 'link' || window.location.pathname === paths.security;
}

const PROBE_DATABASE = 'storage-probe';

/**
 * Hides an IndexedDB that does not open, store and read within 2 s. In some browsers it sometimes never responds. The SDK
 * waits for it without a timeout, before each sign-in and before each request. Without IndexedDB, it uses local storage.
 */
async function hideUnusableIndexedDb(): Promise<void> {
  try {
    await promiseTimeout(probe());
  } catch {
    Object.defineProperty(window, 'indexedDB', { value: undefined, configurable: true });
  }
}

async function probe(): Promise<void> {
  const open = indexedDB.open(PROBE_DATABASE);
  open.onupgradeneeded = () => open.result.createObjectStore(PROBE_DATABASE);
  const database = await toPromise(open);
  const store = database.transaction(PROBE_DATABASE, 'readwrite').objectStore(PROBE_DATABASE);
  await Promise.all([toPromise(store.put(1, 1)), toPromise(store.get(1))]);
  database.close();
  indexedDB.deleteDatabase(PROBE_DATABASE);
}

function toPromise<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = reject;
  });
}
