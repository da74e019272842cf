import { PROVED_ADDRESS_CLAIM, SECOND_FACTOR_CLAIM, type StoredAccount } from '../account-policy/account';
import { isStorable } from '../accounts/new-claims';
import { ApiProblem } from '@/lib/shared/problem';

/**
 * The account's claims with the mark of its second factor and its proved email, or without the mark. A lost database opens no account that has the mark.
 * @param since null: without
 * @throws ApiProblem `internal-error` when an operator's claims leave no room for it
 */
export function withSecondFactorClaim(
  { customClaims = {}, email }: Pick<StoredAccount, 'customClaims' | 'email'>,
  since: Date | null,
): Record<string, unknown> {
  const others = Object.fromEntries(Object.entries(customClaims).filter(([name]) => name !== SECOND_FACTOR_CLAIM));
  if (since === null) return others;
  // The provider's public API changes the email for the password alone: from now on it is restored (accounts/restore-email.ts).
  const proved = email === undefined ? {} : { [PROVED_ADDRESS_CLAIM]: email.toLowerCase() };
  const claims = { ...others, ...proved, [SECOND_FACTOR_CLAIM]: Math.floor(since.getTime() / 1000) };
  if (!isStorable(claims)) throw new ApiProblem('internal-error', { detail: 'The claims of the account are too long' });
  return claims;
}
