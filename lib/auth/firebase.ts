import type { Auth } from 'firebase/auth';
import type { PublicEnv } from '@/lib/config/public-env';
import { paths } from '@/lib/paths';
import { isSharedComputer } from './shared-computer';
import { pendingRedirect } from './pending-redirect';

let loading: Promise<Auth> | undefined;

/**
 * The identity provider's SDK, loaded when first asked for. It starts without the popup and redirect resolver, which
 * the provider buttons bring along themselves.
 */
export function loadAuth(env: PublicEnv): Promise<Auth> {
  loading ??= start(env).catch((error: unknown) => {
    // A chunk that did not arrive must not spoil the next try.
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Loads the SDK ahead of its need. Whoever needs it asks again, and is told when it does not arrive. */
export function preloadAuth(env: PublicEnv): void {
  loadAuth(env).catch(() => undefined);
}

async function start({ firebase }: PublicEnv): Promise<Auth> {
  const sdk = await import('./sdk');
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
 * Linking by redirect works only if the SDK starts with its redirect resolver: on the page that links, and on the one the
 * person is back on. Everywhere else it comes with the first press on a provider.
 */
function needsResolver(): boolean {
  return pendingRedirect()?.mode === 'link' || window.location.pathname === paths.security;
}
