import { nullOnProblem } from '@/lib/shared/problem';
import type { AccountFacts, StoredAccount } from '@/lib/server/policy';
import { listPasskeys, type StoredPasskey, RECORDS_TIMEOUT_MS, withRecords } from '@/lib/server/storage';
import { getRelyingParty, type RelyingParty } from '@/lib/server/http';

type Facts = Pick<AccountFacts, 'email' | 'requiresSso'>;

/** The passkeys with which the owner can sign in. */
export function getUsablePasskeys<P extends Pick<StoredPasskey, 'suspectAt' | 'email' | 'rpId'>>(
  rp: RelyingParty | null,
  { email, requiresSso }: Facts,
  passkeys: readonly P[],
): P[] {
  if (rp === null || requiresSso) return [];
  return passkeys.filter((passkey) => passkey.suspectAt === null && passkey.email === email && passkey.rpId === rp.id);
}

/** How many they are; 0 where this deployment has none. @throws ApiProblem `records-unavailable` */
export async function countUsablePasskeys({ uid, ...facts }: Facts & Pick<AccountFacts, 'uid'>): Promise<number> {
  const rp = getRelyingParty();
  if (rp === null) return 0;
  const { passkeys } = await withRecords((records) => listPasskeys(records, uid), RECORDS_TIMEOUT_MS);
  return getUsablePasskeys(rp, facts, passkeys).length;
}

/** Whether to name passkeys among the sign-in methods of an account, in an email; false while the database is away. */
export async function hasPasskey({ uid, email }: Pick<StoredAccount, 'uid' | 'email'>): Promise<boolean> {
  const facts = { uid, email: email?.toLowerCase() ?? null, requiresSso: false };
  return ((await nullOnProblem(countUsablePasskeys(facts))) ?? 0) > 0;
}
