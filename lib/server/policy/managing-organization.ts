import type { AccountFacts } from './account';
import { getDirectoryOrEmpty, getDomain, getPartnerOfProvider } from './directory';

/** Name of the organization or partner that manages an account. Null if none does. */
export async function findOrganization({
  managed,
  email,
  methods,
}: Pick<AccountFacts, 'managed' | 'email' | 'methods'>): Promise<string | null> {
  if (!managed) return null;
  const enterprise = (await getDirectoryOrEmpty()).enterprises.get(getDomain(email));
  if (methods.some(({ id }) => id === enterprise?.provider)) return enterprise?.name ?? null;
  const partners = await Promise.all(methods.map(({ id }) => getPartnerOfProvider(id)));
  return partners.find((partner) => partner !== null)?.name ?? null;
}
