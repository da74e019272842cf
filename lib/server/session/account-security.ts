import type { AccountSecurity, LinkedMethod } from '@/lib/shared/account/security';
import { nullOnProblem } from '@/lib/shared/problem';
import type { SocialProviderId } from '@/lib/shared/providers';
import { type Account, type AccountFacts, canSignInWith, getDirectory } from '@/lib/server/policy';
import type { SessionRequest } from './types';
import { findById } from '@/lib/server/identity';

/**
 * The account data that /security shows, fetched live, without passkeys, which only the records know; null when the account no longer exists. While the origin's social
 * providers cannot be determined, all count as enabled: a change is decided again.
 */
export async function getAccountSecurity(
  uid: string,
  request: Pick<SessionRequest, 'enabledSocial'>,
): Promise<{ account: Account; security: AccountSecurity } | null> {
  const found = await findById(uid);
  if (!found) return null;
  const { user, facts } = found;
  const { lastSignInTime } = user.metadata;
  const security = {
    uid,
    name: user.displayName ?? null,
    email: user.email ?? null,
    emailVerified: facts.emailVerified,
    methods: await getMethods(facts, await nullOnProblem(request.enabledSocial())),
    passkeys: 0,
    hasSecondFactor: facts.hasSecondFactor,
    lastSignIn: lastSignInTime ? new Date(lastSignInTime).toISOString() : null,
  };
  return { account: found, security };
}

/**
 * The sign-in methods of an account, and whether its owner can sign in with each.
 * @param enabledSocial social providers enabled for the origin; null: all
 */
export async function getMethods(
  { email, methods }: AccountFacts,
  enabledSocial: ReadonlySet<SocialProviderId> | null,
): Promise<LinkedMethod[]> {
  const directory = await getDirectory();
  return methods.map((method) => ({ ...method, usable: canSignInWith(method.id, email, directory, enabledSocial) }));
}
