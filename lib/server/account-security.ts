import type { GetServerSidePropsResult } from 'next';
import type { AccountSecurity } from '@/lib/account/security';
import { displayDay } from '@/lib/dates';
import { findById } from './accounts/find';
import type { LiveSession } from './session';

/** What /security shows of an account, asked for live. */
export async function accountSecurity({
  status: { uid },
}: LiveSession): Promise<GetServerSidePropsResult<{ account: AccountSecurity | null }>> {
  const user = await findById(uid);
  if (!user) return { props: { account: null } };
  const { lastSignInTime } = user.metadata;
  const account: AccountSecurity = {
    uid,
    email: user.email ?? null,
    emailVerified: user.emailVerified,
    methods: user.providerData.map(({ providerId: id, email }) => ({ id, email: email || null })),
    lastSignIn: lastSignInTime ? displayDay(lastSignInTime) : null,
  };
  return { props: { account } };
}
