import type { Auth } from 'firebase/auth';
import type { PublicEnv } from '@/lib/config/public-env';
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

async function start({ firebase }: PublicEnv): Promise<Auth> {
  const [{ initializeApp }, sdk] = await Promise.all([import('firebase/app'), import('firebase/auth')]);
  const { apiKey, projectId, authDomain, emulatorUrl } = firebase;
  const auth = sdk.initializeAuth(initializeApp({ apiKey, projectId, authDomain }), {
    persistence: [sdk.indexedDBLocalPersistence, sdk.browserLocalPersistence],
    // A person who linked by redirect is only restored together with the answer they are back with.
    ...(pendingRedirect() && { popupRedirectResolver: sdk.browserPopupRedirectResolver }),
  });
  if (emulatorUrl) sdk.connectAuthEmulator(auth, emulatorUrl, { disableWarnings: true });
  return auth;
}
