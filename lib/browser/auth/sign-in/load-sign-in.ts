/**
 * Loads the code that opens a session when the user approaches a sign-in method: in parallel with the identity
 * provider's SDK, not sequentially.
 */
export const loadPasswordSignIn = () => withSdk(import('./password'));
export const loadProviderSignIn = () => withSdk(import('./federated'));

function withSdk<Module>(module: Promise<Module>): Promise<Module> {
  // Preload only: code that needs the SDK imports it again and gets the error.
  import('../provider/sdk').catch(() => undefined);
  return module;
}
