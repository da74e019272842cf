import { processWide } from '@/lib/server/runtime';

/**
 * @param destination where the sign-in page leads, which anyone may name
 * @param authenticatedAt when the user of the session did, seconds since 1970
 */
type Check = (destination: string, authenticatedAt: number) => Promise<boolean>;

const never: Check = () => Promise.resolve(false);
const slot = () => processWide('reauthentication', () => ({ check: never }));

/** Whether the destination takes a later authentication than that of the session: then the sign-in page does not redirect. */
export const requiresReauthentication: Check = (destination, authenticatedAt) =>
  slot().check(destination, authenticatedAt);

/** Registers who knows: the OpenID Provider, which no page may import, or the trace of each would list its library. */
export function onReauthentication(check: Check): void {
  slot().check = check;
}
