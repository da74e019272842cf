import { getPartnerOfProvider } from '../directory';
import type { SignInMethod } from '../email';

/** Sign-in methods as emails name them. @param ids the identity provider's ids */
export function getSignInMethods(ids: readonly string[]): Promise<SignInMethod[]> {
  return Promise.all(ids.map(async (method) => ({ method, partner: await getPartnerOfProvider(method) })));
}
