import type { AccountSecurity } from '@/lib/shared/account/security';
import { findById } from './find';

/** The account data that /security shows, fetched live; null when the account no longer exists. */
export async function getAccountSecurity(uid: string): Promise<AccountSecurity | null> {
  const found = await findById(uid);
  if (!found) return null;
  const { user, facts } = found;
  const { lastSignInTime } = user.metadata;
  return {
    uid,
    email: user.email ?? null,
    emailVerified: facts.emailVerified,
    methods: user.providerData.map(({ providerId: id, email }) => ({ id, email: email || null })),
    lastSignIn: lastSignInTime ? new Date(lastSignInTime).toISOString() : null,
  };
}
