import type { Account, ClaimsEdit } from '@/lib/server/policy';

/**
 * Marks an account with a second factor, and its email as the proved one: the provider's public API changes the email for the password
 * alone, and from now on it is restored (accounts/restore-email.ts). An email that is not verified proves nothing.
 */
export function toFactorClaims({ user, facts }: Account, since: Date): ClaimsEdit {
  return { secondFactorSince: since, ...(facts.emailVerified && { proved: user.email }) };
}
