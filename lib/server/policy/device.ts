/**
 * Decides which secret a browser is known by from its next session of an account on (docs/adr/0035). A `device` cookie without the prefix
 * `__Host-` is of the time before it: of this app, or planted by another host of the main domain, which then knows its value.
 */
export type DeviceFacts = {
  /** `both`: one with the prefix, and a plain one. */
  cookies: 'none' | 'prefixed' | 'plain' | 'both';
  /** A shared computer keeps no secret. */
  isShared: boolean;
  /**
   * `unknown`: the account has no device with the plain secret; otherwise the live session of that device, `own` when the request has a
   * cookie of it.
   */
  session: 'unknown' | 'none' | 'own' | 'other';
};

/**
 * `keep`: its secret; `adopt`: the device of the plain secret, which gets a new secret, so that the plain one is worth nothing from then
 * on; `new`: a new device with a new secret; `none`: no secret.
 */
export type DeviceDecision = 'keep' | 'adopt' | 'new' | 'none';

export function decideDevice({ cookies, isShared, session }: DeviceFacts): DeviceDecision {
  if (isShared) return 'none';
  if (cookies === 'none') return 'new';
  if (cookies !== 'plain') return 'keep';
  // A copy of the secret must not join the session of the browser that it was copied from.
  return session === 'none' || session === 'own' ? 'adopt' : 'new';
}
