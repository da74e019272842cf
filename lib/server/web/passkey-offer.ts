import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import type { PasskeyOffer } from '@/lib/shared/account/passkeys';
import { nullOnProblem } from '@/lib/shared/problem';
import { findById, countUsablePasskeys } from '@/lib/server/identity';
import { arePasskeysOffered } from '@/lib/server/http';
import type { LiveSession } from '@/lib/server/session';

/** Props of /sign-in/add-passkey. While the account or its passkeys cannot be read, there is no offer. */
export async function loadPasskeyOffer(
  { status: { uid, email } }: LiveSession,
  { req }: Pick<GetServerSidePropsContext, 'req'>,
): Promise<GetServerSidePropsResult<{ offer: PasskeyOffer; email: string | null }>> {
  return { props: { offer: arePasskeysOffered(req) ? await decideOffer(uid) : 'none', email } };
}

async function decideOffer(uid: string): Promise<PasskeyOffer> {
  const account = await nullOnProblem(findById(uid));
  if (!account || account.facts.requiresSso || !account.facts.emailVerified) return 'none';
  const passkeys = await nullOnProblem(countUsablePasskeys(account.facts));
  if (passkeys === null) return 'none';
  return passkeys === 0 && account.facts.methods.length === 0 ? 'instead-of-password' : 'another';
}
