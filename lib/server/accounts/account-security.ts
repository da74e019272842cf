import type { GetServerSidePropsResult } from 'next';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { findById } from './find';
import type { LiveSession } from '../session';

/** The account data that /security shows, fetched live. */
export async function getAccountSecurity({
  status: { uid },
}: LiveSession): Promise<GetServerSidePropsResult<{ account: AccountSecurity | null }>> {
  const found = await findById(uid);
  if (!found) return { props: { account: null } };
  const { user, facts } = found;
  const { lastSignInTime } = user.metadata;
  const account: AccountSecurity = {
    uid,
    email: user.email ?? null,
    emailVerified: facts.emailVerified,
    methods: user.providerData.map(({ providerId: id, email }) => ({ id, email: email || null })),
    lastSignIn: lastSignInTime ? new Date(lastSignInTime).toISOString() : null,
  };
  return { props: { account } };
}
