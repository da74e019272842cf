import type { PublicEnv } from '@/lib/shared/config/public-env';

/** Loads the code that verifies a password and opens a session, when the user approaches the form. */
export const loadPasswordSignIn = () => import('./password');

/** Loads the code of the provider sign-in, in parallel with the identity provider's SDK. */
export const loadProviderSignIn = () => withSdk(import('./federated'));

/** Loads the sign-in code and starts the SDK. Errors are ignored, because the sign-in loads it again. */
export function preload(env: PublicEnv, load: () => Promise<{ preloadAuth: (env: PublicEnv) => void }>): void {
  void load()
    .then((module) => module.preloadAuth(env))
    .catch(() => undefined);
}

function withSdk<Module>(module: Promise<Module>): Promise<Module> {
  // This only preloads. Code that needs the SDK imports it again and gets the error.
  import('../provider/sdk').catch(() => undefined);
  return module;
}
