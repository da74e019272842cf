import { dictionary } from '@zxcvbn-ts/language-common';
import { LRUCache } from 'lru-cache';
import { ApiProblem } from '@/lib/shared/problem';
import { personalPart } from '@/lib/shared/account/password-rules';
import { env } from '@/lib/server/runtime';
import { fetchPasswordPolicy, idTokenByPassword, type ProviderPasswordPolicy } from '@/lib/server/identity';
import { isBreached } from './breached-passwords';

let common: ReadonlySet<string> | undefined;
/** The bundled list of passwords that attackers try first. Only API routes use it. */
const getCommonPasswords = () => (common ??= new Set(dictionary['passwords-common']));

/**
 * Refuses a new password that is easy to guess. The schema validates its length.
 * @throws ApiProblem `password-common` or `password-breached`; `password-personal` if it contains the email or the
 *   brand
 */
export async function checkPassword(password: string, email: string): Promise<void> {
  if (personalPart(password, [email, env().NEXT_PUBLIC_BRAND_NAME])) throw new ApiProblem('password-personal');
  if (getCommonPasswords().has(password.toLowerCase())) throw new ApiProblem('password-common');
  if (await isBreached(password)) throw new ApiProblem('password-breached');
}

/**
 * Refuses a reset to the present password, because an intruder may know it. The identity provider compares them. If it
 * cannot, the password counts as new. Call it within the redeemed code or link, so that each code or link compares one
 * password at a time. A password that the provider would refuse is not compared. The code would survive its refusal, so
 * its holder could try such passwords without end.
 * @throws ApiProblem `password-unchanged`, `password-weak`, 503
 */
export async function refusePresentPassword(email: string | null, password: string): Promise<void> {
  if (email === null) return;
  await checkProviderPolicy(password);
  // The decomposed form is tried after the stored form, because some passwords were set before this app normalized them.
  const isPresent = await idTokenByPassword(email, password.normalize('NFD')).then(
    () => true,
    () => false,
  );
  if (isPresent) throw new ApiProblem('password-unchanged');
}

const POLICY_TTL_MS = 5 * 60_000;

/** The provider's policy is fetched again after 5 minutes. If that fails, the last policy applies. */
const policies = new LRUCache<'policy', { policy: ProviderPasswordPolicy | null }>({
  max: 1,
  ttl: POLICY_TTL_MS,
  allowStaleOnFetchRejection: true,
  fetchMethod: async () => ({ policy: await fetchPasswordPolicy() }),
});

/**
 * Refuses a password that the identity provider's own policy would refuse, before any lookup or change.
 * @throws ApiProblem `password-weak`; 503 while the policy is unknown, because a refusal behind the response could not
 *   be shown
 */
export async function checkProviderPolicy(password: string): Promise<void> {
  const cached = await policies.fetch('policy');
  if (cached?.policy && !meetsPolicy(password, cached.policy)) throw new ApiProblem('password-weak');
}

/** Implements the identity provider's own check (`passwordPolicy` of its REST API). */
export function meetsPolicy(password: string, policy: ProviderPasswordPolicy): boolean {
  if (policy.enforcementState !== 'ENFORCE') return true;
  const options = policy.customStrengthOptions ?? {};
  const special = new Set(policy.allowedNonAlphanumericCharacters ?? []);
  return [
    password.length >= (options.minPasswordLength ?? 0),
    password.length <= (options.maxPasswordLength ?? Number.POSITIVE_INFINITY),
    !options.containsLowercaseCharacter || /[a-z]/.test(password),
    !options.containsUppercaseCharacter || /[A-Z]/.test(password),
    !options.containsNumericCharacter || /[0-9]/.test(password),
    !options.containsNonAlphanumericCharacter || [...password].some((character) => special.has(character)),
  ].every(Boolean);
}
