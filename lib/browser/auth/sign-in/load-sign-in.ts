import type { PublicEnv } from '@/lib/shared/config/public-env';

/** Loads the code that verifies a password and opens a session, when the user approaches the form. */
export const loadPasswordSignIn = () => import('./password');

/** Loads the code of the provider sign-in, in parallel with the identity provider's SDK. */
export function loadProviderSignIn() {
  // This only preloads. Code that needs the SDK imports it again and gets the error.
  import('../provider/sdk').catch(() => undefined);
  return import('./federated');
}

/** Loads that code and starts the SDK. Errors are ignored, because the sign-in loads it again. */
export function preloadProviderSignIn(env: PublicEnv): void {
  void loadProviderSignIn()
    .then((module) => module.preloadAuth(env))
    .catch(() => undefined);
}
