/**
 * What opens a session is loaded when somebody comes near a way in: together with the identity provider's SDK, and not
 * one after the other.
 */
export const passwordWay = () => withSdk(import('./password'));
export const providerWay = () => withSdk(import('./federated'));

function withSdk<Way>(way: Promise<Way>): Promise<Way> {
  // Whoever needs it asks again, and is told when it does not arrive.
  import('./sdk').catch(() => undefined);
  return way;
}
